import { sql } from 'kysely'
import t from 'tap'
import { adminClaims, testApp, type TestApp } from '../helper.js'

async function publish (app: TestApp, type: string, version: string): Promise<void> {
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

t.test('acceptances under way when the instance closes are answered and stored', async t => {
  const app = await testApp(t)
  await publish(app, 'terms', '1.0.0')
  const address = await app.app.listen({ port: 0, host: '127.0.0.1' })
  const tokens = (await Promise.all(Array.from({ length: 50 }, (_, index) => app.as({ sub: `user-${index}` })))).map(({ token }) => token)
  const sent = tokens.map(token => fetch(`${address}/legal/accept`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'terms' })
  }))
  const settled = Promise.allSettled(sent)
  await Promise.any(sent)
  await app.app.close()
  const outcomes = await settled
  const stored = outcomes.filter(outcome => outcome.status === 'fulfilled' && outcome.value.status === 201).length
  const { rows } = await sql<{ count: number }>`select count(*) from document_acceptances`.execute(app.database.db)
  t.ok(stored > 0)
  t.same(rows, [{ count: stored }], 'whatever was acknowledged is stored, and nothing else')
})
