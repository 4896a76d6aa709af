import { containsPattern } from '../database/sql.js'

/** Folding yields no capital letter, so that no searched text can reach from the title into the description. */
const separator = 'X'

/** What a signal is searched by: its title and description, case folded (column search_text). */
export function searchText (title: string, description: string): string {
  return `${foldCase(title)}${separator}${foldCase(description)}`
}

/** A pattern for `search_text like`: the text literally, anywhere, in any letter case (contract: pool listing). */
export function searchPattern (search: string): string {
  return containsPattern(foldCase(search))
}

/**
 * Folds letter case in every script, code point by code point: whatever is a part of a text is then a part of the
 * folded text too, which toLowerCase alone does not grant (a final sigma, the dot of a Turkish capital I).
 */
export function foldCase (text: string): string {
  return isAscii(text) ? text.toLowerCase() : Array.from(text, foldCodePoint).join('')
}

function foldCodePoint (character: string): string {
  return character === '\u0130' ? 'i' : character.toLowerCase().toUpperCase().toLowerCase()
}

function isAscii (text: string): boolean {
  return !/[^\0-\x7f]/.test(text)
}
