import t from 'tap'
import { fields, hasKeys, isError, isoTime, legalApp, unknownIds } from './helper.js'

interface Item { readonly id: string, readonly acceptedAt: string, readonly createdAt: string }

/** Fails to be true when two neighbours are not in descending order of time, then id. */
function isDescending (items: readonly Item[], time: 'acceptedAt' | 'createdAt'): boolean {
  return items.every((item, index) => {
    const before = items[index - 1]
    return before === undefined || before[time] > item[time] || (before[time] === item[time] && before.id > item.id)
  })
}

t.test('GET /legal/admin/documents', async t => {
  const { admin, user, draft, published, query } = await legalApp(t)
  t.strictSame((await admin.get('/legal/admin/documents')).json, [], 'an empty array without documents')
  const old = await published()
  await (await user('ann')).post('/legal/accept', { type: 'terms' })
  const active = await published()
  const privacy = await draft({ type: 'privacy' })

  t.test('items carry exactly the eleven fields; publishedBy is absent from a draft', async t => {
    const { status, json } = await admin.get('/legal/admin/documents')
    t.equal(status, 200)
    t.same(json.map(({ id }: Item) => id), [privacy.id, active.id, old.id], 'createdAt descending')
    hasKeys(t, json[2], fields.listItem)
    hasKeys(t, json[0], fields.listItem.filter(field => field !== 'publishedBy'))
    t.match(json[0], { publishedAt: null, isActive: false, acceptances: [], acceptanceCount: 0 })
    t.match(json[1], { type: 'terms', version: active.version, title: active.title, isActive: true, publishedBy: 'admin@example.com' })
    t.match(json[2], { isActive: false, acceptanceCount: 1, acceptances: [{ userId: 'ann', acceptedAt: isoTime }] })
    hasKeys(t, json[2].acceptances[0], ['userId', 'acceptedAt'])
  })

  t.test('query type', async t => {
    t.same((await admin.get('/legal/admin/documents?type=terms')).json.map(({ id }: Item) => id), [active.id, old.id])
    t.same((await admin.get('/legal/admin/documents?type=privacy')).json.map(({ id }: Item) => id), [privacy.id])
    for (const query of ['type=cookies', 'type=', 'type=terms&type=privacy', 'type=%00', 'type[]=terms&type=TERMS']) {
      isError(t, await admin.get(`/legal/admin/documents?${query}`), 400, /^query.type /)
    }
  })

  t.test('documents created in the same millisecond are listed by id descending', async t => {
    await query("update legal_documents set created_at = '2020-01-01T00:00:00Z' where published_at is null")
    for (let count = 0; count < 5; count++) await draft()
    await query("update legal_documents set created_at = '2020-01-01T00:00:00Z' where published_at is null")
    const { json } = await admin.get('/legal/admin/documents')
    t.equal(json.length, 8)
    t.ok(isDescending(json, 'createdAt'))
  })
})

t.test('caps: the list carries the 100 newest acceptances, the detail the 1,000 newest; the count is exact', async t => {
  const { admin, published, query } = await legalApp(t)
  const { id, version } = await published()
  const other = await published({ type: 'privacy' })
  const count = 1003
  await query("insert into users (id) select 'user-' || n from generate_series(1, $1::int) n", [count])
  await query(`insert into document_acceptances (id, user_id, document_id, type, version, accepted_at)
    select gen_random_uuid(), 'user-' || n, $2::uuid, 'terms', $3, '2026-01-01T00:00:00Z'::timestamptz + (n / 2) * interval '1 second'
    from generate_series(1, $1::int) n`, [count, id, version])

  const listed = (await admin.get('/legal/admin/documents')).json
  const item = listed.find((one: Item) => one.id === id)
  t.match(item, { acceptanceCount: count })
  t.equal(item.acceptances.length, 100)
  t.equal(item.acceptances.at(-1).acceptedAt, '2026-01-01T00:07:32.000Z')
  t.match(listed.find((one: Item) => one.id === other.id), { acceptanceCount: 0, acceptances: [] })

  const detail = (await admin.get(`/legal/admin/documents/${id}`)).json
  t.equal(detail.acceptanceCount, count)
  t.equal(detail.acceptances.length, 1000)
  t.ok(isDescending(detail.acceptances, 'acceptedAt'))
  t.match((await admin.get(`/legal/admin/documents/${id}/analytics`)).json, { totalAcceptances: count })
  t.match((await admin.get('/legal/admin/acceptances?limit=1000')).json, { total: count, limit: 500 })
})

t.test('GET /legal/admin/documents/:id: LegalDocument with acceptances and their count', async t => {
  const { admin, user, published } = await legalApp(t)
  const document = await published({ content: 'Zażółć gęślą jaźń\r\n\t\u{1F469}‍\u{1F4BB} שלום' })
  await (await user('ann')).post('/legal/accept', { type: 'terms', ipAddress: '::1' })
  const newest = (await (await user('bob')).post('/legal/accept', { type: 'terms' })).json
  const { status, json } = await admin.get(`/legal/admin/documents/${document.id}`)
  t.equal(status, 200)
  hasKeys(t, json, [...fields.document, 'acceptances', 'acceptanceCount'])
  t.match(json, document)
  t.strictSame(json.acceptances[0], newest, 'newest first, each a DocumentAcceptance')
  hasKeys(t, json.acceptances[1], fields.acceptance.filter(field => field !== 'userAgent'))
  t.equal(json.acceptanceCount, 2)
})

t.test('GET /legal/admin/acceptances', async t => {
  const { admin, user, published } = await legalApp(t)
  t.strictSame((await admin.get('/legal/admin/acceptances')).json, { acceptances: [], total: 0, limit: 100, offset: 0 })
  const terms = await published({ title: 'The terms' })
  await published({ type: 'privacy' })
  const ann = await user('ann', { email: 'ann@example.com', given_name: 'Ann', family_name: 'Lee' })
  const accepted = (await ann.post('/legal/accept', { type: 'terms', ipAddress: '203.0.113.7', userAgent: 'Browser' })).json
  await (await user('bob')).post('/legal/accept', { type: 'privacy' })
  await (await user('cid')).post('/legal/accept', { type: 'privacy' })

  t.test('items have the fields of the log; what is unknown is ""', async t => {
    const { status, json } = await admin.get('/legal/admin/acceptances')
    t.equal(status, 200)
    hasKeys(t, json, ['acceptances', 'total', 'limit', 'offset'])
    t.equal(json.total, 3)
    t.ok(isDescending(json.acceptances, 'acceptedAt'), 'acceptedAt descending, id descending')
    for (const item of json.acceptances) {
      hasKeys(t, item, fields.logItem)
      hasKeys(t, item.user, ['id', 'email', 'firstName', 'lastName'])
      hasKeys(t, item.document, ['type', 'version', 'title'])
    }
    t.strictSame(json.acceptances.at(-1), {
      id: accepted.id,
      user: { id: 'ann', email: 'ann@example.com', firstName: 'Ann', lastName: 'Lee' },
      document: { type: 'terms', version: terms.version, title: 'The terms' },
      acceptedAt: accepted.acceptedAt,
      ipAddress: '203.0.113.7',
      userAgent: 'Browser'
    })
    t.match(json.acceptances[0], { user: { id: 'cid', email: '', firstName: '', lastName: '' }, ipAddress: '', userAgent: '' })
  })

  t.test('query type', async t => {
    t.match((await admin.get('/legal/admin/acceptances?type=terms')).json, { total: 1, acceptances: [{ id: accepted.id }] })
    t.equal((await admin.get('/legal/admin/acceptances?type=privacy')).json.acceptances.length, 2)
    isError(t, await admin.get('/legal/admin/acceptances?type=x'), 400, 'query.type must be one of: terms, privacy')
  })

  t.test('limit and offset', async t => {
    const ids = (await admin.get('/legal/admin/acceptances')).json.acceptances.map(({ id }: Item) => id)
    for (const [limit, offset] of [[1, 0], [1, 1], [2, 1], [500, 2], [2, 3], [1, 2 ** 53 - 1]] as const) {
      const { json } = await admin.get(`/legal/admin/acceptances?limit=${limit}&offset=${offset}`)
      t.same(json.acceptances.map(({ id }: Item) => id), ids.slice(offset, offset + limit))
      t.match(json, { total: 3, limit, offset }, 'the total stays true, also beyond the end')
    }
    for (const limit of ['501', '1000', '9007199254740993', '9'.repeat(30), '9'.repeat(310), '9'.repeat(5000)]) {
      t.match((await admin.get(`/legal/admin/acceptances?limit=${limit}`)).json, { limit: 500, total: 3 }, 'clamped to 500')
    }
    for (const limit of ['0', '-1', '1.5', '1e2', '0x10', '', '%20', '+1', '%201', '1%20', 'ten', '%D9%A3', 'NaN', 'Infinity', '1&limit=2']) {
      isError(t, await admin.get(`/legal/admin/acceptances?limit=${limit}`), 400, /^query.limit /)
    }
    for (const offset of ['-1', '0.5', '1e1', '0x1', '', '9007199254740992', '9'.repeat(30), '0&offset=0']) {
      isError(t, await admin.get(`/legal/admin/acceptances?offset=${offset}`), 400, /^query.offset /)
    }
  })

  t.test('there is no CSV endpoint', async t => {
    for (const path of ['acceptances.csv', 'acceptances/csv', 'acceptances/export']) {
      t.equal((await admin.get(`/legal/admin/${path}`)).status, 404)
    }
    t.match((await admin.get('/legal/admin/acceptances', { accept: 'text/csv' })).headers['content-type'], /^application\/json/)
  })
})

t.test('analytics', async t => {
  const { admin, user, draft, published, query } = await legalApp(t)
  const rate = async (id: string) => (await admin.get(`/legal/admin/documents/${id}/analytics`)).json

  t.test('fields; a draft has publishedAt null and isActive false', async t => {
    const document = await draft()
    const json = await rate(document.id)
    hasKeys(t, json, fields.analytics)
    t.strictSame(json, {
      documentId: document.id,
      type: 'terms',
      version: document.version,
      totalAcceptances: 0,
      totalUsers: 1,
      acceptanceRate: 0,
      isActive: false,
      publishedAt: null
    })
  })

  t.test('100 x accepted / total users with two decimals; archived documents keep theirs', async t => {
    const { id, publishedAt } = await published()
    await (await user('ann')).post('/legal/accept', { type: 'terms' })
    const expected: Array<[number, number]> = [[2, 50], [3, 33.33], [6, 16.67], [7, 14.29], [800, 0.13], [1600, 0.06], [30_000, 0]]
    for (const [users, acceptanceRate] of expected) {
      await query("insert into users (id) select 'more-' || n from generate_series(1, $1::int - 2) n on conflict do nothing", [users])
      t.match(await rate(id), { totalAcceptances: 1, totalUsers: users, acceptanceRate, isActive: true, publishedAt })
    }
    await published()
    t.match(await rate(id), { totalAcceptances: 1, isActive: false, publishedAt })
  })
})

t.test('analytics with everybody accepting is 100, and registered users count', async t => {
  const { admin, published } = await legalApp(t)
  const { id } = await published()
  await admin.post('/legal/accept', { type: 'terms' })
  const url = `/legal/admin/documents/${id}/analytics`
  t.match((await admin.get(url)).json, { totalAcceptances: 1, totalUsers: 1, acceptanceRate: 100 })
  await admin.put('/legal/admin/users/early', { email: 'early@example.com' })
  t.match((await admin.get(url)).json, { totalUsers: 2, acceptanceRate: 50 })
  for (const unknown of unknownIds) isError(t, await admin.get(`/legal/admin/documents/${unknown}/analytics`), 404, 'Document not found')
})
