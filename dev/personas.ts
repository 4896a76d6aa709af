/** Who a ready-made token speaks for. */
export interface Persona {
  readonly sub: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly roles?: readonly string[]
  readonly startup?: string
  readonly may: string
}

/** The callers that `npm run dev` prints tokens for; the demo data knows them. */
export const personas = {
  admin: {
    sub: 'demo-admin',
    email: 'admin@example.com',
    firstName: 'Ada',
    lastName: 'Moreau',
    roles: ['admin'],
    may: 'administers documents and signals'
  },
  user: {
    sub: 'demo-user',
    email: 'nora.lindqvist@example.com',
    firstName: 'Nora',
    lastName: 'Lindqvist',
    may: 'reads and accepts documents; has not accepted the newest terms yet'
  },
  startup: {
    sub: 'demo-startup',
    email: 'kofi@aurora.example',
    firstName: 'Kofi',
    lastName: 'Mensah',
    startup: 'startup-aurora',
    may: 'answers signals for Aurora Sensing (startup-aurora)'
  }
} as const satisfies Record<string, Persona>

export type PersonaName = keyof typeof personas
