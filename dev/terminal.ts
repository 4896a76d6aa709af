import { styleText } from 'node:util'
import type { PersonaName } from './personas.js'

type Style = Parameters<typeof styleText>[0]

/** Colours a text where the terminal shows colours. */
export function paint (style: Style, text: string): string {
  const coloured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined && process.env['TERM'] !== 'dumb'
  return coloured ? styleText(style, text) : text
}

/** One quiet line on what is going on. */
export function say (text: string): void {
  console.log(`  ${paint('dim', text)}`)
}

/** One line on what went wrong. */
export function complain (text: string): void {
  console.error(`  ${paint('red', text)}`)
}

/** What `npm run dev` tells when the service answers. */
export interface Welcome {
  readonly seconds: number
  readonly address: string
  /** Shown, so without a password. */
  readonly database: string
  readonly notes: readonly string[]
  /** Empty when the identity provider alone signs tokens. */
  readonly tokens: ReadonlyArray<{ readonly name: PersonaName, readonly who: string, readonly may: string, readonly token: string }>
  readonly tokenDays: number
}

/** Writes where the service is, who may call it, and two calls to paste. */
export function welcome ({ seconds, address, database, notes, tokens, tokenDays }: Welcome): string {
  const rows = (pairs: Array<[string, string]>): string[] => pairs.map(([name, text]) => `  ${name.padEnd(14)}  ${text}`)
  const user = tokens.find(({ name }) => name === 'user')
  return [
    '',
    `  ${paint(['bold', 'green'], 'The service is running')} ${paint('dim', `after ${seconds.toFixed(1)} s`)}`,
    '',
    ...rows([
      ['Address', paint('cyan', address)],
      ['Documentation', paint('cyan', `${address}/documentation`)],
      ['Database', database]
    ]),
    ...notes.map(note => `  ${paint('yellow', note)}`),
    '',
    ...tokens.length === 0
      ? [`  ${paint('bold', 'Tokens')} ${paint('dim', 'come from the identity provider that the environment names')}`, '']
      : [
          `  ${paint('bold', 'Tokens')} ${paint('dim', `valid for ${tokenDays} days; npm run token -- --help makes others`)}`,
          '',
          ...tokens.flatMap(({ name, who, may, token }) => [`  ${paint('bold', name)}  ${who}, ${paint('dim', may)}`, token, ''])
        ],
    `  ${paint('bold', 'Try it')}`,
    '',
    `curl ${address}/legal/current/terms`,
    user === undefined
      ? `curl ${address}/legal/status -H 'Authorization: Bearer TOKEN'`
      : `curl ${address}/legal/status -H 'Authorization: Bearer ${user.token}'`,
    '',
    `  ${paint('dim', 'Watching src/ and migrations/. Ctrl-C ends it all.')}`,
    ''
  ].join('\n')
}
