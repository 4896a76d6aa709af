import pg from 'pg'
import t from 'tap'
import { testDatabase } from '../helper.js'
import { isoTime, legalApp } from '../legal/helper.js'

// What an operator may have set for a role or a database, for other reasons than this service.
const settings = [
  "timezone = 'America/St_Johns'", "datestyle = 'ISO, DMY'", "default_transaction_isolation = 'serializable'", 'standard_conforming_strings = off',
  "client_encoding = 'LATIN1'", "plan_cache_mode = 'force_generic_plan'"
]

for (const setting of settings) {
  t.test(`a database with ${setting} changes nothing`, async t => {
    const url = await testDatabase(t)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`alter database ${new URL(url).pathname.slice(1)} set ${setting}`)
    await client.end()

    const { admin, user, draft } = await legalApp(t, { url })
    const drafts: Array<{ id: string }> = []
    // One after the other: serializable statements that meet may well be refused more often than they are repeated.
    for (const effectiveDate of ['0001-01-01T00:00:00.000Z', '1850-06-01T12:34:56.789Z', '9999-12-31T23:59:59.999Z']) {
      const created = await draft({ effectiveDate, content: "\u{1F600} é \\'" })
      t.match(created, { effectiveDate, content: "\u{1F600} é \\'" })
      drafts.push(created)
    }
    const published = await Promise.all(drafts.map(async ({ id }) => await admin.post(`/legal/admin/documents/${id}/publish`)))
    t.same(published.map(({ status }) => status), [200, 200, 200])

    const ann = await user('ann')
    const accepts = await Promise.all(Array.from({ length: 10 }, async () => await ann.post('/legal/accept', { type: 'terms' })))
    t.same(accepts.map(({ status }) => status).sort(), [...Array.from({ length: 9 }, () => 200), 201])
    const { acceptedAt } = accepts[0]?.json as { acceptedAt: string }
    t.match(acceptedAt, isoTime)
    t.ok(Math.abs(Date.parse(acceptedAt) - Date.now()) < 60_000)
    const listed = (await admin.get('/legal/admin/documents?type=terms')).json.flatMap(({ acceptances }: { acceptances: object[] }) => acceptances)
    t.strictSame(listed, [{ userId: 'ann', acceptedAt }])
    t.equal((await admin.get('/legal/admin/acceptances')).json.acceptances[0].acceptedAt, acceptedAt)
  })
}
