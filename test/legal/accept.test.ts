import t from 'tap'
import { fields, hasKeys, isError, isoTime, legalApp } from './helper.js'

const bare = fields.acceptance.filter(field => !['ipAddress', 'userAgent'].includes(field))

t.test('without an active document: 400 "No active <type> document found", whatever the client saw', async t => {
  const { user, draft } = await legalApp(t)
  const { id, version } = await draft()
  const ann = await user('ann')
  for (const type of ['terms', 'privacy']) {
    for (const seen of [{}, { documentId: id }, { version }, { documentId: 'nonsense', version: '9.9.9' }]) {
      isError(t, await ann.post('/legal/accept', { type, ...seen }), 400, `No active ${type} document found`)
    }
  }
})

t.test('accepting', async t => {
  const { admin, user, published, query } = await legalApp(t)
  const terms = await published()
  const privacy = await published({ type: 'privacy' })

  t.test('201: a DocumentAcceptance for the caller, version copied from the active document', async t => {
    const ann = await user('ann')
    const { status, json } = await ann.post('/legal/accept', { type: 'terms', ipAddress: '203.0.113.7', userAgent: 'Browser/1' })
    t.equal(status, 201)
    hasKeys(t, json, fields.acceptance)
    t.match(json, {
      id: String, userId: 'ann', documentId: terms.id, version: terms.version, acceptedAt: isoTime, ipAddress: '203.0.113.7', userAgent: 'Browser/1'
    })
    t.ok(json.acceptedAt >= (terms.publishedAt ?? ''))
  })

  t.test('ipAddress and userAgent are absent unless sent, never filled in from the connection', async t => {
    const bob = await user('bob')
    const { status, json } = await bob.post('/legal/accept', { type: 'privacy' }, { 'user-agent': 'X', 'x-forwarded-for': '192.0.2.1' })
    t.equal(status, 201)
    hasKeys(t, json, bare)
    const [row] = await query('select ip_address, user_agent from document_acceptances where id = $1', [json.id])
    t.strictSame(row, { ip_address: null, user_agent: null })
  })

  t.test('empty ipAddress and userAgent come back as sent', async t => {
    const eve = await user('eve')
    t.match((await eve.post('/legal/accept', { type: 'terms', ipAddress: '', userAgent: '' })).json, { ipAddress: '', userAgent: '' })
    t.match((await eve.post('/legal/accept', { type: 'terms' })).json, { ipAddress: '', userAgent: '' })
  })

  t.test('repeated accept: 200 with the original record, its time, IP and user agent untouched', async t => {
    const cid = await user('cid')
    const first = await cid.post('/legal/accept', { type: 'terms', ipAddress: '198.51.100.1' })
    for (const more of [{}, { ipAddress: '198.51.100.2', userAgent: 'Other' }, { documentId: terms.id }, { version: terms.version }]) {
      const again = await cid.post('/legal/accept', { type: 'terms', ...more })
      t.equal(again.status, 200)
      t.strictSame(again.json, first.json)
    }
    t.equal((await cid.get('/legal/acceptances')).json.total, 1)
  })

  t.test('the user id comes from the token: one in the body is refused', async t => {
    isError(t, await (await user('dan')).post('/legal/accept', { type: 'terms', userId: 'ann' }), 400, 'body.userId is not a known field')
  })

  t.test('accepting what you saw: documentId, version or both must be the active document, else 409 and nothing is stored', async t => {
    const fay = await user('fay')
    const wrong = [
      { documentId: privacy.id }, { version: privacy.version }, { documentId: '' }, { version: '' }, { documentId: 'nonsense' },
      { documentId: terms.id, version: '9.9.9' }, { documentId: privacy.id, version: terms.version }, { documentId: terms.id.toUpperCase() }
    ]
    for (const seen of wrong) {
      isError(t, await fay.post('/legal/accept', { type: 'terms', ...seen }), 409, /terms/)
    }
    t.equal((await fay.get('/legal/acceptances')).json.total, 0)
    t.equal((await fay.post('/legal/accept', { type: 'terms', documentId: terms.id, version: terms.version })).status, 201)
    for (const seen of wrong) t.equal((await fay.post('/legal/accept', { type: 'terms', ...seen })).status, 409, 'also when it was accepted before')
  })

  t.test('only strings count as what was seen: anything else is 400 naming the field', async t => {
    const gus = await user('gus')
    for (const field of ['documentId', 'version', 'ipAddress', 'userAgent']) {
      for (const value of [null, 1, true, [], {}]) {
        isError(t, await gus.post('/legal/accept', { type: 'terms', [field]: value }), 400, new RegExp(`^body.${field} `))
      }
    }
  })

  t.test('lengths: ipAddress 64 and userAgent 2,048 characters, one more is 400', async t => {
    const hal = await user('hal')
    const astral = '\u{1F600}'
    isError(t, await hal.post('/legal/accept', { type: 'terms', ipAddress: 'x'.repeat(65) }), 400, /^body.ipAddress /)
    isError(t, await hal.post('/legal/accept', { type: 'terms', userAgent: astral.repeat(2049) }), 400, /^body.userAgent /)
    const sent = { ipAddress: astral.repeat(64), userAgent: astral.repeat(2048) }
    t.match((await hal.post('/legal/accept', { type: 'terms', ...sent })).json, sent)
  })

  t.test('a new version wants a new acceptance; the old record stays', async t => {
    const ann = await user('ann')
    const next = await published()
    const { status, json } = await ann.post('/legal/accept', { type: 'terms' })
    t.equal(status, 201)
    t.match(json, { documentId: next.id, version: next.version })
    t.equal((await ann.get('/legal/acceptances')).json.total, 2)
  })

  t.test('the user record carries time and version of the last accepted terms and privacy', async t => {
    const ann = await user('ann')
    const last = (await ann.post('/legal/accept', { type: 'terms' })).json
    const [record] = (await admin.get('/legal/admin/users?limit=500')).json.users.filter((one: { id: string }) => one.id === 'ann')
    t.match(record, { termsVersion: last.version, termsAcceptedAt: last.acceptedAt, privacyVersion: null, privacyAcceptedAt: null })
    const privacyRecord = (await ann.post('/legal/accept', { type: 'privacy' })).json
    const [after] = (await admin.get('/legal/admin/users?limit=500')).json.users.filter((one: { id: string }) => one.id === 'ann')
    t.strictSame(after, { ...record, privacyVersion: privacy.version, privacyAcceptedAt: privacyRecord.acceptedAt })
  })
})

t.test('an acceptance is never older than what it accepts, also when the clock was set back in between', async t => {
  const { user, query } = await legalApp(t)
  await query(`insert into legal_documents (id, type, version, title, content, effective_date, published_at, published_by, is_active)
    values (gen_random_uuid(), 'terms', '1.0.0', 'Title', 'Text', now(), '2999-01-01T00:00:00Z', 'a@example.com', true)`)
  t.equal((await (await user('ann')).post('/legal/accept', { type: 'terms' })).json.acceptedAt, '2999-01-01T00:00:00.000Z')
})

t.test('a documentId of the wrong kind of text is 400 before any document is looked for', async t => {
  const { user } = await legalApp(t)
  const ann = await user('ann')
  isError(t, await ann.post('/legal/accept', { type: 'terms', documentId: 'a\0b' }), 400, /^body.documentId /)
  isError(t, await ann.post('/legal/accept', { type: 'cookies' }), 400, 'body.type must be one of: terms, privacy')
  isError(t, await ann.post('/legal/accept', {}), 400, 'body.type is required')
  isError(t, await ann.post('/legal/accept'), 400, /^body/)
})
