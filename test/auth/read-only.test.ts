import t from 'tap'
import { sql } from 'kysely'
import { adminClaims, testApp } from '../helper.js'

t.test('a database that has become read-only serves the reads of callers whom it knows, and 503 for what must be written', async t => {
  const before = await testApp(t)
  const known = { ...adminClaims, sub: 'known-admin' }
  t.equal((await (await before.as(known)).get('/legal/admin/documents')).status, 200)
  const { rows: [row] } = await sql<{ name: string }>`select quote_ident(current_database()) as name`.execute(before.database.db)
  await sql`alter database ${sql.raw((row as { name: string }).name)} set default_transaction_read_only = on`.execute(before.database.db)

  const { as } = await testApp(t, { url: before.url })
  const admin = await as(known)
  t.equal((await admin.get('/legal/admin/documents')).status, 200)
  t.equal((await admin.get('/legal/status')).status, 200)
  t.equal((await admin.get('/legal/acceptances')).status, 200)
  t.equal((await admin.get('/govintel/signals')).status, 200)
  const write = await admin.post('/legal/admin/documents', { type: 'terms', version: '1.0.0', title: 'T', content: 'C', effectiveDate: '2026-01-01T00:00:00Z' })
  t.equal(write.status, 503)
  t.match(write.headers['retry-after'], /^\d+$/)
  for (const claims of [{ ...known, given_name: 'Changed' }, { sub: 'stranger' }]) {
    t.equal((await (await as(claims)).get('/legal/status')).status, 503, 'a user record that has to be written')
  }
})
