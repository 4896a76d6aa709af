import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { adminClaims, testApp, type TestApp } from '../helper.js'

async function publish (app: TestApp, version: string): Promise<void> {
  const admin = await app.as(adminClaims)
  const { json } = await admin.post('/legal/admin/documents', { type: 'terms', version, title: 'Terms', content: `Text ${version}`, effectiveDate: '2026-01-01T00:00:00Z' })
  t.equal((await admin.post(`/legal/admin/documents/${json.id}/publish`)).status, 200)
}

async function currentVersion (app: TestApp): Promise<string> {
  return (await (await app.as()).get('/legal/current/terms')).json.version
}

async function until (milliseconds: number, condition: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now()
  while (!await condition()) {
    if (performance.now() - startedAt > milliseconds) throw new Error(`Not within ${milliseconds} ms`)
    await sleep(5)
  }
  return performance.now() - startedAt
}

t.test('who publishes through an instance reads the new document from it at once', async t => {
  const app = await testApp(t)
  for (const version of ['1.0.0', '1.0.1', '1.0.2']) {
    await publish(app, version)
    t.equal(await currentVersion(app), version)
  }
})

t.test('another instance hears of a publish, also after its listener was cut off, and also by polling alone', async t => {
  const writer = await testApp(t)
  const reader = await testApp(t, { url: writer.url })
  await publish(writer, '1.0.0')
  await until(2500, async () => await currentVersion(reader) === '1.0.0')
  await publish(writer, '2.0.0')
  t.comment(`heard after ${Math.round(await until(2500, async () => await currentVersion(reader) === '2.0.0'))} ms`)

  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'legal-signals listen'
  `.execute(writer.database.db)
  await publish(writer, '3.0.0')
  t.comment(`without a listener after ${Math.round(await until(2500, async () => await currentVersion(reader) === '3.0.0'))} ms`)

  await sql`create or replace function legal_documents_order_state() returns trigger language plpgsql as $$
    begin update legal_publish_state set version = version + 1; return new; end $$`.execute(writer.database.db)
  await publish(writer, '4.0.0')
  t.comment(`unnotified after ${Math.round(await until(2500, async () => await currentVersion(reader) === '4.0.0'))} ms`)
})

t.test('the document in memory is not served longer than two seconds after the database is gone', async t => {
  const app = await testApp(t)
  await publish(app, '1.0.0')
  t.equal(await currentVersion(app), '1.0.0')
  await app.database.close()
  const anybody = await app.as()
  await until(2500, async () => (await anybody.get('/legal/current/terms')).status === 503)
})

t.test('GET /legal/current/:type answers 304 to If-None-Match and bears ETag and Cache-Control', async t => {
  const app = await testApp(t)
  await publish(app, '1.0.0')
  const anybody = await app.as()
  const first = await anybody.get('/legal/current/terms')
  const etag = String(first.headers['etag'])
  t.match(etag, /^"[\w-]+"$/)
  t.equal(first.headers['cache-control'], 'no-cache')
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await anybody.get('/legal/current/terms', { 'if-none-match': header })
    t.equal(again.status, 304)
    t.equal(again.body, '')
    t.equal(again.headers['etag'], etag)
  }
  t.equal((await anybody.get('/legal/current/terms', { 'if-none-match': '"other"' })).status, 200)
  await publish(app, '1.0.1')
  const next = await anybody.get('/legal/current/terms', { 'if-none-match': etag })
  t.equal(next.status, 200)
  t.not(next.headers['etag'], etag)
})
