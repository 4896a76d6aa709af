/** One instruction of a Dockerfile, its continuation lines joined. */
export interface Instruction {
  /** In capitals. */
  readonly keyword: string
  /** What follows the keyword and its flags. */
  readonly argument: string
  /** `--name=value`, by name. */
  readonly flags: Readonly<Record<string, string>>
  readonly line: number
}

/** The instructions of a Dockerfile in their order. Throws at a line that is none. */
export function parseDockerfile (text: string): Instruction[] {
  const instructions: Instruction[] = []
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1
    let whole = lines[index] as string
    if (/^\s*(#|$)/.test(whole)) continue
    while (/\\\s*$/.test(whole)) whole = whole.replace(/\\\s*$/, ' ') + (lines[++index] ?? '')
    const match = /^\s*([A-Za-z]+)\s+((?:--[a-z-]+=\S+\s+)*)(\S.*?)\s*$/.exec(whole)
    if (match === null) throw new Error(`Dockerfile:${line}: not an instruction`)
    const [, keyword = '', flags = '', argument = ''] = match
    instructions.push({
      keyword: keyword.toUpperCase(),
      argument,
      flags: Object.fromEntries(Array.from(flags.matchAll(/--([a-z-]+)=(\S+)/g), ([, name, value]) => [name, value])),
      line
    })
  }
  return instructions
}

/** The words of `["node", "x.js"]`, the form that starts a program without a shell; throws at any other. */
export function execForm (argument: string, place: string): string[] {
  let words: unknown
  try {
    words = JSON.parse(argument)
  } catch {
    words = undefined
  }
  if (Array.isArray(words) && words.length > 0 && words.every(word => typeof word === 'string')) return words as string[]
  throw new Error(`${place}: must be a JSON array, so that signals reach the program`)
}

/**
 * Which names of the folder a build may copy, told from a `.dockerignore` that begins by excluding everything and then
 * lets some in. Throws at any other kind.
 */
export function contextOf (dockerignore: string): Set<string> {
  const [everything, ...exceptions] = dockerignore.split('\n').map(line => line.trim()).filter(line => line !== '' && !line.startsWith('#'))
  if (everything !== '*') throw new Error('.dockerignore: the first line must be *')
  return new Set(exceptions.map(line => {
    if (!/^![\w.-]+$/.test(line)) throw new Error(`.dockerignore: ${line}: only names of this folder can be let in`)
    return line.slice(1)
  }))
}
