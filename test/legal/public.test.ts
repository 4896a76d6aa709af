import t from 'tap'
import { fields, hasKeys, isError, legalApp } from './helper.js'

interface Item { readonly id: string, readonly version: string }

t.test('GET /legal/current/:type', async t => {
  const { anybody, admin, draft, publish, published } = await legalApp(t)

  t.test('404 "No active <type> document found", also with drafts, and never kept by a cache', async t => {
    await draft()
    for (const type of ['terms', 'privacy']) {
      const answer = await anybody.get(`/legal/current/${type}`)
      isError(t, answer, 404, `No active ${type} document found`)
      t.notOk(answer.headers['etag'])
    }
  })

  t.test('an unknown type is 400', async t => {
    for (const type of ['cookies', 'Terms', 'TERMS', 'term', '%20terms', 'terms%00', 'null', '__proto__']) {
      isError(t, await anybody.get(`/legal/current/${type}`), 400, 'params.type must be one of: terms, privacy')
    }
    isError(t, await anybody.get('/legal/current/'), 400, /^params.type /)
    t.equal((await anybody.get('/legal/current')).status, 404)
  })

  t.test('200: the active LegalDocument, without authentication', async t => {
    const document = await published()
    const { status, json, headers } = await anybody.get('/legal/current/terms')
    t.equal(status, 200)
    hasKeys(t, json, fields.document)
    t.strictSame(json, document)
    t.equal(headers['content-type'], 'application/json; charset=utf-8')
    t.equal(headers['cache-control'], 'no-cache')
    t.match(headers['etag'], /^"[^"]+"$/)
  })

  t.test('304 on If-None-Match of every form that means the same, 200 otherwise', async t => {
    const etag = String((await anybody.get('/legal/current/terms')).headers['etag'])
    for (const match of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag} , "third"`, '*']) {
      const answer = await anybody.get('/legal/current/terms', { 'if-none-match': match })
      t.equal(answer.status, 304, match)
      t.equal(answer.body, '')
      t.equal(answer.headers['etag'], etag)
      t.equal(answer.headers['cache-control'], 'no-cache')
      t.notOk('content-length' in answer.headers, 'tells no length that the document does not have')
    }
    for (const match of ['"other"', etag.slice(1, -1), '', '""', 'W/"x"']) {
      t.equal((await anybody.get('/legal/current/terms', { 'if-none-match': match })).status, 200, match)
    }
  })

  t.test('another document bears another ETag', async t => {
    const before = String((await anybody.get('/legal/current/terms')).headers['etag'])
    const { id } = await published()
    const after = await anybody.get('/legal/current/terms', { 'if-none-match': before })
    t.equal(after.status, 200)
    t.equal(after.json.id, id)
    t.not(after.headers['etag'], before)
  })

  t.test('a published document is never changed by what happens to drafts', async t => {
    const before = (await anybody.get('/legal/current/terms')).body
    const { id } = await draft()
    await admin.put(`/legal/admin/documents/${id}`, { content: 'Other' })
    await admin.delete(`/legal/admin/documents/${id}`)
    t.equal((await anybody.get('/legal/current/terms')).body, before)
  })

  t.test('the publish answer is at once what this instance serves', async t => {
    for (let count = 0; count < 5; count++) {
      const { id } = await publish((await draft()).id)
      t.equal((await anybody.get('/legal/current/terms')).json.id, id)
    }
  })
})

t.test('old versions', async t => {
  const { anybody, draft, published } = await legalApp(t)
  const first = await published({ version: '2.0.0' })
  const second = await published({ version: '1.0.0' })
  const hidden = await draft({ version: '3.0.0' })
  const privacy = await published({ type: 'privacy', version: '2.0.0' })

  t.test('GET /legal/versions/:type: published ones by publishedAt descending, each without content; drafts never', async t => {
    const { status, json } = await anybody.get('/legal/versions/terms')
    t.equal(status, 200)
    hasKeys(t, json, ['versions', 'total', 'limit', 'offset'])
    t.match(json, { total: 2, limit: 100, offset: 0 })
    t.same(json.versions.map(({ id }: Item) => id), [second.id, first.id])
    for (const version of json.versions) hasKeys(t, version, fields.document.filter(field => field !== 'content'))
    t.match(json.versions[0], { isActive: true })
    t.match(json.versions[1], { isActive: false, publishedAt: first.publishedAt, publishedBy: 'admin@example.com' })
    t.same((await anybody.get('/legal/versions/privacy')).json.versions.map(({ id }: Item) => id), [privacy.id])
  })

  t.test('limit and offset', async t => {
    t.match((await anybody.get('/legal/versions/terms?limit=1&offset=1')).json, { versions: [{ id: first.id }], total: 2, limit: 1, offset: 1 })
    t.strictSame((await anybody.get('/legal/versions/terms?offset=2')).json, { versions: [], total: 2, limit: 100, offset: 2 })
    t.equal((await anybody.get('/legal/versions/terms?limit=501')).json.limit, 500)
    isError(t, await anybody.get('/legal/versions/terms?limit=0'), 400, /^query.limit /)
    isError(t, await anybody.get('/legal/versions/terms?offset=-1'), 400, /^query.offset /)
    isError(t, await anybody.get('/legal/versions/cookies'), 400, /^params.type /)
  })

  t.test('GET /legal/versions/:type/:version: the full published document, archived or active', async t => {
    const { status, json } = await anybody.get('/legal/versions/terms/2.0.0')
    t.equal(status, 200)
    hasKeys(t, json, fields.document)
    t.match(json, { id: first.id, content: first.content, isActive: false })
    t.strictSame((await anybody.get('/legal/versions/terms/1.0.0')).json, second)
    t.equal((await anybody.get('/legal/versions/privacy/2.0.0')).json.id, privacy.id)
  })

  t.test('drafts and unknown versions of any form are 404, an unknown type is 400', async t => {
    for (const version of [hidden.version, '9.9.9', '1.0', '1.0.0.0', '01.0.0', 'v1.0.0', '1.0.0%20', 'nonsense', '%25', hidden.id, 'x'.repeat(3000)]) {
      isError(t, await anybody.get(`/legal/versions/terms/${version}`), 404, 'Document not found')
    }
    isError(t, await anybody.get('/legal/versions/cookies/1.0.0'), 400, /^params.type /)
    isError(t, await anybody.get('/legal/versions/terms/1.0.0%00'), 400, /^params.version /)
  })
})

t.test('GET /legal/acceptances: the caller\'s own, newest first, each a DocumentAcceptance with its document', async t => {
  const { user, published } = await legalApp(t)
  const ann = await user('ann')
  t.strictSame((await ann.get('/legal/acceptances')).json, { acceptances: [], total: 0, limit: 100, offset: 0 })
  const terms = await published({ title: 'One' })
  const first = (await ann.post('/legal/accept', { type: 'terms', ipAddress: '::1', userAgent: 'U' })).json
  await (await user('bob')).post('/legal/accept', { type: 'terms' })
  await published({ type: 'privacy', title: 'Two' })
  const second = (await ann.post('/legal/accept', { type: 'privacy' })).json
  const { json } = await ann.get('/legal/acceptances')
  t.match(json, { total: 2, limit: 100, offset: 0 })
  t.strictSame(json.acceptances, [
    { ...second, document: { type: 'privacy', version: second.version, title: 'Two' } },
    { ...first, document: { type: 'terms', version: terms.version, title: 'One' } }
  ])
  t.match((await ann.get('/legal/acceptances?limit=1&offset=1')).json, { acceptances: [{ id: first.id }], total: 2, limit: 1, offset: 1 })
  t.strictSame((await ann.get('/legal/acceptances?offset=7&limit=900')).json, { acceptances: [], total: 2, limit: 500, offset: 7 })
  isError(t, await ann.get('/legal/acceptances?limit=1e2'), 400, /^query.limit /)
})
