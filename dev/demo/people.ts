import { type Persona, personas } from '../personas.js'

const day = 24 * 60 * 60 * 1000
const firstNames = ['Amina', 'Björn', 'Chiara', 'Dmitri', 'Elif', 'Fatou', 'Grzegorz', 'Hanna', 'Ines', 'Jonas', 'Kaoru', 'Lucía', 'Mehmet', 'Niamh', 'Oksana', 'Pál', 'Quentin', 'Rosa', 'Søren', 'Théa', 'Uwe', 'Valentina', 'Wei', 'Ximena', 'Yusuf', 'Zuzana']
const lastNames = ['Ångström', 'Bianchi', 'Çelik', 'Dubois', 'Eze', 'Fernández', 'Grün', 'Horváth', 'Ivanova', 'Jansen', 'Kowalczyk', 'Li', 'Müller', 'Nakamura', 'O’Brien', 'Petrov', 'Rossi', 'Schäfer', 'Tanaka']
const agents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'
]
const strangers = 77

/** A user of the demo: how they came, and how readily they accept what is published. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** How many days after a publication they accept it; more than there were means not at all. */
  readonly delayDays: number
  readonly ipAddress: string | null
  readonly userAgent: string | null
}

/** The callers of the printed tokens and other people, the same ones every time, who came in the `days` before `now`. */
export function demoPeople (now: number, days: number): Person[] {
  const random = numbers(20)
  const others = Array.from({ length: strangers }, (_person, index) => {
    const firstName = firstNames[index % firstNames.length] as string
    const lastName = lastNames[(index * 7) % lastNames.length] as string
    // Most accept within days, some take months.
    const delayDays = random() ** 4 * 250
    const sendsDetails = random() < 0.8
    return {
      id: `demo-${String(index + 1).padStart(3, '0')}`,
      email: `${asciiLetters(firstName)}.${asciiLetters(lastName)}${index}@example.org`,
      firstName,
      lastName,
      since: now - days * day * (0.02 + 0.98 * random()),
      delayDays,
      ipAddress: !sendsDetails ? null : index % 5 === 0 ? `2001:db8::${index.toString(16)}` : `203.0.113.${index}`,
      userAgent: sendsDetails ? agents[index % agents.length] as string : null
    }
  })
  return [
    fromPersona(personas.admin, now - days * day, 0.2),
    // Accepted everything but the newest terms.
    fromPersona(personas.user, now - 0.8 * days * day, 40),
    fromPersona(personas.startup, now - 0.5 * days * day, 1),
    ...others
  ]
}

function fromPersona (persona: Persona, since: number, delayDays: number): Person {
  const { sub, email, firstName, lastName } = persona
  return { id: sub, email, firstName, lastName, since, delayDays, ipAddress: '203.0.113.200', userAgent: agents[0] as string }
}

function asciiLetters (name: string): string {
  return name.normalize('NFD').toLowerCase().replace(/[^a-z]/g, '')
}

/** Numbers between 0 and 1 that look random and are the same every time (mulberry32). */
function numbers (seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
