import type { Test } from 'tap'
import { type Answer, type Client, testApp, type TestApp, adminClaims } from '../helper.js'

/** The application with two governments' data, the given startups, and a caller for each. */
export interface SignalApp extends TestApp {
  readonly admin: Client
  /** A caller of each startup, in the order of their names. */
  readonly startups: Client[]
  /** Creates a signal and returns its id. */
  create (fields?: Record<string, unknown>): Promise<string>
  /** A signal's detail as admins see it. */
  detail (id: string): Promise<Answer['json']>
  history (id: string): Promise<Answer['json']>
}

export async function signalApp (t: Test, names: string[] = ['aurora', 'boreal', 'cirrus']): Promise<SignalApp> {
  const server = await testApp(t)
  const admin = await server.as(adminClaims)
  await admin.put('/govintel/governments/gov-1', { name: 'Harbour City Council' })
  await admin.put('/govintel/government-contacts/contact-1', { governmentId: 'gov-1', name: 'Ines Okafor', email: 'ines@example.org' })
  const startups: Client[] = []
  for (const name of names) {
    await admin.put(`/govintel/startups/${name}`, { name: `Startup ${name}` })
    startups.push(await server.as({ sub: `user-${name}`, startupId: name }))
  }
  return {
    ...server,
    admin,
    startups,
    create: async (fields = {}) => (await admin.post('/govintel/signals', { title: 'Night buses', description: 'Too loud', ...fields })).json.id,
    detail: async id => (await admin.get(`/govintel/signals/${id}`)).json,
    history: async id => (await admin.get(`/govintel/signals/${id}/status-history`)).json
  }
}

/** A history that begins with the creation and in which each row starts where the one before it ended. */
export function unbroken (t: Test, rows: Array<{ action: string, fromStatus: string | null, toStatus: string }>): void {
  t.match(rows[0], { action: 'create', fromStatus: null, toStatus: 'signal_unassigned' })
  const breaks = rows.filter((row, index) => index > 0 && row.fromStatus !== rows[index - 1]?.toStatus)
  t.strictSame(breaks, [], 'each fromStatus is the toStatus before it')
}
