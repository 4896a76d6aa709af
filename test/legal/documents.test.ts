import t from 'tap'
import { adminEmail } from '../helper.js'
import { draftBody, fields, hasKeys, isError, isoTime, legalApp, nextVersion, unknownIds } from './helper.js'

const draftFields = fields.document.filter(field => field !== 'publishedBy')
const onlyAtPublish = 'Cannot update a published document. Create a new version instead.'

t.test('the life of a document', async t => {
  const { admin, draft, publish, published } = await legalApp(t)

  t.test('(none) -> create -> draft: 201, publishedAt null, isActive false, defaults true and 0', async t => {
    const body = draftBody({ type: 'privacy' })
    const { status, json } = await admin.post('/legal/admin/documents', body)
    t.equal(status, 201)
    hasKeys(t, json, draftFields, 'has the fields of LegalDocument; nobody published it, so publishedBy is absent')
    t.match(json, { ...body, publishedAt: null, isActive: false, requiresImmediate: true, gracePeriodDays: 0 })
    for (const time of [json.createdAt, json.updatedAt, json.effectiveDate]) t.match(time, isoTime)
  })

  t.test('create keeps requiresImmediate and gracePeriodDays as given', async t => {
    t.match(await draft({ requiresImmediate: false, gracePeriodDays: 3650 }), { requiresImmediate: false, gracePeriodDays: 3650 })
  })

  t.test('create with existing type and version: 400, draft or published', async t => {
    const version = nextVersion()
    const { id } = await draft({ version })
    const message = `Document with type 'terms' and version '${version}' already exists`
    isError(t, await admin.post('/legal/admin/documents', draftBody({ version })), 400, message)
    await publish(id)
    isError(t, await admin.post('/legal/admin/documents', draftBody({ version })), 400, message)
    t.equal((await admin.post('/legal/admin/documents', draftBody({ version, type: 'privacy' }))).status, 201, 'the other type may bear it')
  })

  t.test('a version that was deleted as a draft may be created again', async t => {
    const version = nextVersion()
    const { id } = await draft({ version })
    await admin.delete(`/legal/admin/documents/${id}`)
    t.not((await draft({ version })).id, id)
  })

  t.test('draft -> update -> draft: each of the five fields changes alone and the rest stays', async t => {
    let before = await draft()
    const changes = { title: 'New', content: 'New text', effectiveDate: '2031-01-01T00:00:00.000Z', requiresImmediate: false, gracePeriodDays: 30 }
    for (const [field, value] of Object.entries(changes)) {
      const { status, json } = await admin.put(`/legal/admin/documents/${before.id}`, { [field]: value })
      t.equal(status, 200)
      t.ok(json.updatedAt > before.updatedAt, 'updatedAt changes')
      t.strictSame(json, { ...before, [field]: value, updatedAt: json.updatedAt }, field)
      before = json
    }
    const { json } = await admin.get(`/legal/admin/documents/${before.id}`)
    t.strictSame(json, { ...before, acceptances: [], acceptanceCount: 0 }, 'and is stored')
  })

  t.test('update with the same values still changes updatedAt', async t => {
    const before = await draft()
    const { json } = await admin.put(`/legal/admin/documents/${before.id}`, { title: before.title })
    t.ok(json.updatedAt > before.updatedAt)
  })

  t.test('draft -> delete -> (removed): exactly {success: true}, then 404', async t => {
    const { id } = await draft()
    const { status, json } = await admin.delete(`/legal/admin/documents/${id}`)
    t.equal(status, 200)
    t.strictSame(json, { success: true })
    isError(t, await admin.get(`/legal/admin/documents/${id}`), 404, 'Document not found')
    isError(t, await admin.delete(`/legal/admin/documents/${id}`), 404, 'Document not found')
  })

  t.test('delete needs no body and ignores one', async t => {
    for (const payload of ['', '{}', '{"any": "thing"}', '[]']) {
      const { id } = await draft()
      const answer = await admin.send({ method: 'DELETE', url: `/legal/admin/documents/${id}`, headers: { 'content-type': 'application/json' }, payload })
      t.strictSame(answer.json, { success: true })
    }
  })

  t.test('draft -> publish -> active: publishedAt, publishedBy and isActive are set, nothing else changes', async t => {
    const before = await draft({ gracePeriodDays: 7, requiresImmediate: false })
    const after = await publish(before.id)
    hasKeys(t, after, fields.document)
    t.match(after.publishedAt, isoTime)
    t.strictSame(after, {
      ...before, publishedAt: after.publishedAt, publishedBy: adminEmail, isActive: true, updatedAt: after.updatedAt
    })
  })

  t.test('publish archives the previous document of the same type and leaves the other type alone', async t => {
    const privacy = await published({ type: 'privacy' })
    const first = await published()
    const second = await published()
    const archived = (await admin.get(`/legal/admin/documents/${first.id}`)).json
    t.match(archived, { isActive: false, publishedAt: first.publishedAt, publishedBy: adminEmail, content: first.content })
    t.equal((await admin.get(`/legal/admin/documents/${second.id}`)).json.isActive, true)
    t.equal((await admin.get(`/legal/admin/documents/${privacy.id}`)).json.isActive, true)
  })

  const bodies: Array<[string, Record<string, unknown> | undefined, [boolean, number]]> = [
    ['no body at all', undefined, [false, 14]],
    ['an empty body', {}, [false, 14]],
    ['requiresImmediate only', { requiresImmediate: true }, [true, 14]],
    ['gracePeriodDays only', { gracePeriodDays: 0 }, [false, 0]],
    ['both', { requiresImmediate: true, gracePeriodDays: 5 }, [true, 5]]
  ]
  for (const [name, body, [requiresImmediate, gracePeriodDays]] of bodies) {
    t.test(`publish with ${name}: fields left out keep the draft's values`, async t => {
      const { id } = await draft({ requiresImmediate: false, gracePeriodDays: 14 })
      t.match(await publish(id, body), { requiresImmediate, gracePeriodDays })
    })
  }

  t.test('publish accepts an empty body of type application/json', async t => {
    const { id } = await draft()
    const answer = await admin.send({
      method: 'POST', url: `/legal/admin/documents/${id}/publish`, headers: { 'content-type': 'application/json' }, payload: ''
    })
    t.equal(answer.status, 200)
  })

  t.test('publish with a future effectiveDate makes the document active at once', async t => {
    const { id } = await published({ effectiveDate: '2999-01-01T00:00:00.000Z' })
    t.match((await admin.get('/legal/current/terms')).json, { id, effectiveDate: '2999-01-01T00:00:00.000Z' })
  })

  t.test('publish of a lower version than the active one is allowed', async t => {
    await published({ version: '9.0.0' })
    const { id } = await published({ version: '8.9.9' })
    t.equal((await admin.get('/legal/current/terms')).json.id, id)
  })

  const states = ['active', 'archived'] as const
  for (const state of states) {
    t.test(`${state} -> update, delete, publish: 400 and unchanged`, async t => {
      const { id } = await published()
      if (state === 'archived') await published()
      const before = (await admin.get(`/legal/admin/documents/${id}`)).json
      t.equal(before.isActive, state === 'active')
      isError(t, await admin.put(`/legal/admin/documents/${id}`, { title: 'Other' }), 400, onlyAtPublish)
      isError(t, await admin.delete(`/legal/admin/documents/${id}`), 400, 'Cannot delete a published document')
      isError(t, await admin.post(`/legal/admin/documents/${id}/publish`), 400, 'This document is already published')
      t.strictSame((await admin.get(`/legal/admin/documents/${id}`)).json, before)
    })
  }

  t.test('PUT: type, version, other fields and an empty body are 400 and change nothing', async t => {
    const before = await draft()
    const url = `/legal/admin/documents/${before.id}`
    for (const field of ['type', 'version', 'isActive', 'publishedAt', 'id', 'publishedBy', 'nonsense']) {
      isError(t, await admin.put(url, { title: 'Other', [field]: (before as unknown as Record<string, unknown>)[field] ?? 'x' }), 400,
        `body.${field} is not a known field`)
    }
    isError(t, await admin.put(url, {}), 400, /^body/)
    isError(t, await admin.put(url), 400, /^body/)
    t.match((await admin.get(url)).json, before)
  })

  t.test('unknown and malformed ids: 404 "Document not found" on get, update, publish, delete, analytics', async t => {
    for (const id of unknownIds) {
      const url = `/legal/admin/documents/${id}`
      isError(t, await admin.get(url), 404, 'Document not found')
      isError(t, await admin.put(url, { title: 'x' }), 404, 'Document not found')
      isError(t, await admin.post(`${url}/publish`), 404, 'Document not found')
      isError(t, await admin.delete(url), 404, 'Document not found')
      isError(t, await admin.get(`${url}/analytics`), 404, 'Document not found')
    }
  })
})

t.test('publishedBy is the e-mail of the token as it stands, of whichever admin published', async t => {
  const { as, draft } = await legalApp(t, { env: { ADMIN_EMAILS: ' admin@example.com , Second@Example.com ' } })
  const { id } = await draft()
  const second = await as({ sub: 'admin-2', email: 'SECOND@example.COM', email_verified: true })
  t.equal((await second.post(`/legal/admin/documents/${id}/publish`)).json.publishedBy, 'SECOND@example.COM')
})
