import { sql } from 'kysely'
import t from 'tap'
import { adminClaims, testApp, type TestApp } from '../helper.js'
import { until } from './service.js'

async function publish (app: Pick<TestApp, 'as'>, type: string, version: string): Promise<void> {
  const admin = await app.as(adminClaims)
  const { json } = await admin.post('/legal/admin/documents', { type, version, title: 'Title', content: 'Text', effectiveDate: '2026-01-01T00:00:00Z' })
  await admin.post(`/legal/admin/documents/${json.id}/publish`)
}

t.test('acceptances that share a statement get each their own answer', async t => {
  const app = await testApp(t)
  await publish(app, 'terms', '1.0.0')
  const callers = await Promise.all(Array.from({ length: 120 }, (_, index) => app.as({ sub: `user-${index}` })))
  const answers = await Promise.all(callers.map((caller, index) => {
    if (index % 4 === 1) return caller.post('/legal/accept', { type: 'privacy' })
    if (index % 4 === 2) return caller.post('/legal/accept', { type: 'terms', version: '9.9.9' })
    return caller.post('/legal/accept', { type: 'terms', ipAddress: `10.0.0.${index}` })
  }))
  for (const [index, { status, json }] of answers.entries()) {
    if (index % 4 === 1) t.match(json, { statusCode: 400, message: 'No active privacy document found' })
    else if (index % 4 === 2) t.match(json, { statusCode: 409 })
    else t.match({ status, ...json }, { status: 201, userId: `user-${index}`, version: '1.0.0', ipAddress: `10.0.0.${index}` })
  }
  const { rows } = await sql<{ count: number }>`select count(*) from document_acceptances`.execute(app.database.db)
  t.same(rows, [{ count: 60 }])
})

t.test('one that the database cannot store does not fail those beside it', async t => {
  const app = await testApp(t)
  await publish(app, 'terms', '1.0.0')
  await sql`alter table document_acceptances add check (user_agent <> 'poison')`.execute(app.database.db)
  const callers = await Promise.all(Array.from({ length: 60 }, (_, index) => app.as({ sub: `user-${index}` })))
  const answers = await Promise.all(callers.map((caller, index) =>
    caller.post('/legal/accept', { type: 'terms', userAgent: index === 30 ? 'poison' : 'browser' })))
  for (const [index, { status }] of answers.entries()) t.equal(status, index === 30 ? 500 : 201)
})

/** Each of the kinds of requests that share statements; the guard of admins is one of them. */
const kinds = [
  { name: 'accept', claims: {}, status: 201, request: { method: 'POST', url: '/legal/accept', payload: { type: 'terms' } } },
  { name: 'status', claims: {}, status: 200, request: { method: 'GET', url: '/legal/status' } },
  { name: 'an admin\'s route', claims: { roles: ['admin'] }, status: 200, request: { method: 'GET', url: '/govintel/startups' } }
] as const

for (const { name, claims, status, request } of kinds) {
  t.test(`${name}: a caller whose user record cannot be stored does not fail those beside it`, async t => {
    const app = await testApp(t)
    await publish(app, 'terms', '1.0.0')
    await sql`alter table users add check (id <> 'user-30')`.execute(app.database.db)
    const callers = await Promise.all(Array.from({ length: 60 }, (_, index) => app.as({ sub: `user-${index}`, ...claims })))
    const answers = await Promise.all(callers.map(caller => caller.send(request)))
    for (const [index, answer] of answers.entries()) t.equal(answer.status, index === 30 ? 500 : status)
  })

  t.test(`${name}: requests under way when the instance closes are answered`, async t => {
    const { app, database, as } = await testApp(t)
    await publish({ as }, 'terms', '1.0.0')
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    let received = 0
    app.server.on('request', () => { received++ })
    const tokens = (await Promise.all(Array.from({ length: 50 }, (_, index) => as({ sub: `user-${index}`, ...claims })))).map(({ token }) => token)

    const { sent, closed } = await database.db.transaction().execute(async lock => {
      await sql`lock table users in access exclusive mode`.execute(lock)
      const sent = Promise.all(tokens.map(token => fetch(address + request.url, {
        method: request.method,
        headers: { authorization: `Bearer ${token}`, ...('payload' in request && { 'content-type': 'application/json' }) },
        ...('payload' in request && { body: JSON.stringify(request.payload) })
      })))
      await until('all are received', () => received === tokens.length)
      return { sent, closed: app.close() }
    })
    t.same([...new Set((await sent).map(answer => answer.status))], [status])
    await closed
    const { rows } = await sql<{ count: number }>`select count(*) from users where id like 'user-%'`.execute(database.db)
    t.same(rows, [{ count: tokens.length }], 'and what they wrote is stored')
    const { rows: accepted } = await sql<{ count: number }>`select count(*) from document_acceptances`.execute(database.db)
    t.same(accepted, [{ count: name === 'accept' ? tokens.length : 0 }], 'and nothing else')
  })
}
