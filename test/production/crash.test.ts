import t from 'tap'
import pg from 'pg'
import { adminClaims, testDatabase, token } from '../helper.js'
import { type Service, startService, until } from './service.js'

/** More by this variable. */
const crashes = Number(process.env['CRASHES'] ?? 50)
const callers = 24
/** Of one service, until it is killed; counted, not timed, so that a busy machine has the same load. */
const mostAnswers = 40

t.setTimeout(60_000 + crashes * 20_000)

t.test(`what was acknowledged before a kill -9 is there exactly once, ${crashes} times`, async t => {
  const url = await testDatabase(t)
  const admin = `Bearer ${await token(adminClaims)}`
  const acceptances = new Map<string, string>()
  const archived = new Set<string>()
  let users = 0
  let unanswered = 0

  const start = async (): Promise<Service> => await startService(t, { DATABASE_URL: url })
  let next = start()
  for (let crash = 0; crash < crashes; crash++) {
    const service = await next
    // The one after it starts meanwhile.
    if (crash < crashes - 1) next = start()
    if (crash === 0) await publish(service)
    const end = new AbortController()
    const send = async (path: string, authorization: string, body: object): Promise<{ status: number, json: Record<string, string> } | undefined> => {
      try {
        const answer = await fetch(service.base + path, {
          method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: JSON.stringify(body)
        })
        return { status: answer.status, json: await answer.json() as Record<string, string> }
      } catch {
        unanswered++
        return undefined
      }
    }
    const load = Array.from({ length: callers }, async (_none, index) => {
      while (!end.signal.aborted) {
        if (index % 2 === 0) {
          const signal = await send('/govintel/signals', admin, { title: 'Title', description: 'Text' })
          if (signal?.status !== 201) continue
          const id = signal.json['id'] as string
          if ((await send(`/govintel/signals/${id}/archive`, admin, {}))?.status === 200) archived.add(id)
        } else {
          const userId = `user-${users++}`
          const accepted = await send('/legal/accept', `Bearer ${await token({ sub: userId })}`, { type: 'terms' })
          if (accepted?.status === 201) acceptances.set(userId, accepted.json['id'] as string)
        }
      }
    })
    // At least one of each kind by this very process, and then any number: it is hit at any moment.
    const accepted = acceptances.size
    const moved = archived.size
    const enough = accepted + moved + 2 + Math.random() * mostAnswers
    await until('calls are answered', () => acceptances.size > accepted && archived.size > moved && acceptances.size + archived.size >= enough, 60_000)
    service.child.kill('SIGKILL')
    await service.ended
    end.abort()
    await Promise.all(load)
  }

  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  const stored = await client.query<{ user_id: string, ids: string[] }>('select user_id, array_agg(id::text) as ids from document_acceptances group by user_id')
  const byUser = new Map(stored.rows.map(row => [row.user_id, row.ids]))
  t.ok(acceptances.size >= crashes && archived.size >= crashes && unanswered >= crashes, `${acceptances.size} acceptances and ${archived.size} transitions acknowledged, ${unanswered} calls cut off`)
  t.same([...acceptances].filter(([user, id]) => byUser.get(user)?.join() !== id), [], 'every acknowledged acceptance is there once')
  t.same([...byUser.values()].filter(ids => ids.length !== 1), [], 'and so is every other one')

  const history = await client.query<{ id: string, status: string, moves: number }>(`
    select s.id::text as id, s.status, (select count(*)::int from signal_status_history h where h.signal_id = s.id and h.action = 'archive') as moves
    from signals s`)
  const bySignal = new Map(history.rows.map(row => [row.id, row]))
  t.same([...archived].filter(id => bySignal.get(id)?.moves !== 1 || bySignal.get(id)?.status !== 'archived'), [], 'every acknowledged transition is there once')
  t.same(history.rows.filter(row => row.moves !== (row.status === 'archived' ? 1 : 0)), [], 'status and history agree everywhere')

  async function publish (service: Service): Promise<void> {
    const headers = { authorization: admin, 'content-type': 'application/json' }
    const document = { type: 'terms', version: '1.0.0', title: 'Terms', content: 'Text', effectiveDate: '2026-01-01T00:00:00Z' }
    const draft = await (await fetch(`${service.base}/legal/admin/documents`, { method: 'POST', headers, body: JSON.stringify(document) })).json() as { id: string }
    await fetch(`${service.base}/legal/admin/documents/${draft.id}/publish`, { method: 'POST', headers, body: '{}' })
  }
})
