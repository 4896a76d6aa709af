import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { sqlState } from '../../src/database/errors.js'
import { sealRecords } from '../../src/legal/seal.js'
import { adminClaims, testApp, type TestApp } from '../helper.js'

async function publish (app: TestApp, type: string, version: string): Promise<string> {
  const admin = await app.as(adminClaims)
  const created = await admin.post('/legal/admin/documents', { type, version, title: 'A title', content: 'A text', effectiveDate: '2026-01-01T00:00:00Z' })
  await admin.post(`/legal/admin/documents/${created.json.id}/publish`)
  return created.json.id
}

/** Compares every figure that is kept with a count of what is there. */
async function checkFigures ({ database: { db } }: TestApp, t: Test): Promise<void> {
  const { rows } = await sql<Record<string, boolean>>`
    select acceptance_log_count(null) = (select count(*) from document_acceptances) as log,
      acceptance_log_count('terms') = (select count(*) from document_acceptances where type = 'terms') as terms,
      user_count() = (select count(*) from users) as users,
      (select bool_and(acceptance_count(d.id) = (select count(*) from document_acceptances a where a.document_id = d.id))
        from legal_documents d) as documents,
      coalesce((select bool_and(b.terms + b.privacy = (
        select count(*) from document_acceptances a where (a.accepted_at, a.id) <= (b.until_at, b.until_id)
          and (a.accepted_at, a.id) > (b.since_at, b.since_id)
      )) from (
        select terms, privacy, until_at, until_id,
          lag(until_at, 1, '-infinity') over (order by number) as since_at,
          lag(until_id, 1, '00000000-0000-0000-0000-000000000000') over (order by number) as since_id
        from acceptance_blocks
      ) b), true) as blocks
  `.execute(db)
  t.same(rows, [{ log: true, terms: true, users: true, documents: true, blocks: true }])
}

function expectLockTimeout (error: unknown): void {
  if (sqlState(error) !== '55P03') throw error
}

t.test('totals and far pages stay exact while acceptances, sealing, publishes and removals run at once', async t => {
  const app = await testApp(t)
  const { db } = app.database
  const admin = await app.as(adminClaims)
  await publish(app, 'terms', '1.0.0')
  await publish(app, 'privacy', '1.0.0')
  const done = new AbortController()
  const sealing = (async () => {
    while (!done.signal.aborted) {
      // Under this load sealing may give up waiting for its lock, as it should.
      await sql`select seal_acceptances(16, 2)`.execute(db).catch(expectLockTimeout)
      await sql`select seal_users(16)`.execute(db).catch(expectLockTimeout)
    }
  })()
  const callers = await Promise.all(Array.from({ length: 150 }, (_, index) => app.as({ sub: `user-${index}` })))
  const answers = await Promise.all(callers.flatMap((caller, index) => [
    caller.post('/legal/accept', { type: 'terms' }),
    caller.post('/legal/accept', { type: 'privacy' }),
    ...(index % 10 === 0 ? [admin.delete(`/legal/admin/users/user-${index}`)] : []),
    ...(index === 75 ? [publish(app, 'terms', '2.0.0')] : [])
  ]))
  t.ok(answers.every(answer => typeof answer === 'string' || [200, 201, 404].includes(answer.status)))
  await Promise.all(callers.filter((_, index) => index % 7 === 0).map((_, index) => admin.delete(`/legal/admin/users/user-${index * 7}`)))
  done.abort()
  await sealing
  const { rows } = await sql<{ blocks: number }>`select blocks from acceptance_seal`.execute(db)
  t.ok((rows[0]?.blocks ?? 0) > 5, 'blocks were sealed')
  await checkFigures(app, t)

  await t.test('an acceptance with a time that is sealed already is counted', async t => {
    await sql`insert into users (id, created_at) values ('late', '2020-01-01')`.execute(db)
    await sql`
      insert into document_acceptances (id, user_id, document_id, type, version, accepted_at)
      select gen_random_uuid(), 'late', id, type, version, '2020-01-01' from legal_documents where is_active
    `.execute(db)
    await checkFigures(app, t)
  })

  await t.test('sealing with the real block size leaves a short tail alone', async t => {
    await sealRecords(db)
    await checkFigures(app, t)
  })
})

t.test('pages at every offset, near and far, put together the whole log', async t => {
  const app = await testApp(t)
  const { db } = app.database
  await publish(app, 'terms', '1.0.0')
  await publish(app, 'privacy', '1.0.0')
  await sql`insert into users (id) select 'user-' || i from generate_series(1, 5000) i`.execute(db)
  await sql`
    insert into document_acceptances (id, user_id, document_id, type, version)
    select gen_random_uuid(), 'user-' || i, d.id, d.type, d.version
    from generate_series(1, 5000) i join legal_documents d on d.type = 'terms' or i % 3 = 0
  `.execute(db)
  await sql`select seal_acceptances(64, 90)`.execute(db)
  const admin = await app.as(adminClaims)
  for (const type of [undefined, 'terms', 'privacy'] as const) {
    const expected = await db.selectFrom('document_acceptances').select('id')
      .$if(type !== undefined, query => query.where('type', '=', type as 'terms'))
      .orderBy('accepted_at', 'desc').orderBy('id', 'desc').execute()
    const seen: string[] = []
    for (let offset = 0; offset <= expected.length; offset += 500) {
      const page = await admin.get(`/legal/admin/acceptances?limit=500&offset=${offset}${type === undefined ? '' : `&type=${type}`}`)
      t.equal(page.json.total, expected.length)
      seen.push(...page.json.acceptances.map((item: { id: string }) => item.id))
    }
    t.same(seen, expected.map(row => row.id), `the log of ${type ?? 'both types'}`)
    const beyond = await admin.get(`/legal/admin/acceptances?offset=${Number.MAX_SAFE_INTEGER}${type === undefined ? '' : `&type=${type}`}`)
    t.match(beyond.json, { acceptances: [], total: expected.length })
  }
  await checkFigures(app, t)
})
