import t from 'tap'
import { type Answer, adminClaims, testApp } from '../helper.js'
import { draftBody, legalApp, nextVersion } from './helper.js'

interface Document { readonly id: string, readonly version: string, readonly type: string, readonly publishedAt: string, readonly isActive: boolean }

/** How many answers there are of each status. */
function tally (answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

t.test('40 publishes of one type at once: all 200, the last publishedAt is the active one, never two', async t => {
  const { admin, draft, anybody, query } = await legalApp(t)
  const drafts = await Promise.all(Array.from({ length: 40 }, async () => await draft()))
  const answers = await Promise.all(drafts.map(async ({ id }) => await admin.post(`/legal/admin/documents/${id}/publish`)))
  t.strictSame(tally(answers), { 200: 40 })
  const documents = answers.map(({ json }) => json as Document).sort((a, b) => a.publishedAt < b.publishedAt ? -1 : 1)
  t.equal(new Set(documents.map(({ publishedAt }) => publishedAt)).size, 40, 'publishedAt is strictly increasing')
  t.ok(documents.every(({ isActive }) => isActive), 'each answer shows its document active')
  const last = documents.at(-1) as Document
  t.equal((await anybody.get('/legal/current/terms')).json.id, last.id)
  t.strictSame(await query('select id from legal_documents where is_active'), [{ id: last.id }])
})

t.test('40 publishes of one draft at once: one 200, 39 times 400', async t => {
  const { admin, draft } = await legalApp(t)
  const { id } = await draft()
  const answers = await Promise.all(Array.from({ length: 40 }, async () => await admin.post(`/legal/admin/documents/${id}/publish`)))
  t.strictSame(tally(answers), { 200: 1, 400: 39 })
  for (const { status, json } of answers) if (status === 400) t.equal(json.message, 'This document is already published')
})

t.test('40 creates of one type and version at once: one 201, 39 times 400', async t => {
  const { admin } = await legalApp(t)
  const body = draftBody()
  const answers = await Promise.all(Array.from({ length: 40 }, async () => await admin.post('/legal/admin/documents', body)))
  t.strictSame(tally(answers), { 201: 1, 400: 39 })
})

t.test('200 identical accepts at once: one 201, 199 times 200, all the same record', async t => {
  const { user, published, query } = await legalApp(t)
  await published()
  const ann = await user('ann', { email: 'ann@example.com' })
  const answers = await Promise.all(Array.from({ length: 200 }, async (_, index) =>
    await ann.post('/legal/accept', { type: 'terms', userAgent: `tab ${index}` })))
  t.strictSame(tally(answers), { 201: 1, 200: 199 })
  t.equal(new Set(answers.map(({ body }) => body)).size, 1)
  t.strictSame(await query('select id from document_acceptances'), [{ id: answers[0]?.json.id }])
  t.match(await query('select terms_accepted_at from users where id = $1', ['ann']), [{ terms_accepted_at: answers[0]?.json.acceptedAt }])
})

t.test('both types accepted at once by one user: the record carries both', async t => {
  const { user, published, query } = await legalApp(t)
  const terms = await published()
  const privacy = await published({ type: 'privacy' })
  for (let round = 0; round < 20; round++) {
    const someone = await user(`user-${round}`)
    const answers = await Promise.all(['terms', 'privacy'].map(async type => await someone.post('/legal/accept', { type })))
    t.strictSame(tally(answers), { 201: 2 })
  }
  t.strictSame(
    await query("select distinct terms_version, privacy_version from users where id like 'user-%'"),
    [{ terms_version: terms.version, privacy_version: privacy.version }]
  )
})

t.test('accepts against publishes on two instances: no acceptance of a document that was not active when it was recorded', async t => {
  const { admin, user, draft, url, query, published } = await legalApp(t)
  const second = await testApp(t, { url })
  const drafts = await Promise.all(Array.from({ length: 15 }, async () => await draft()))
  await published()

  const still = { publishing: true }
  const accepts: Answer[] = []
  const accept = async (worker: number) => {
    for (let round = 0; still.publishing; round++) {
      const id = `user-${worker}-${round}`
      const caller = worker % 2 === 0 ? await user(id) : await second.as({ sub: id })
      accepts.push(await caller.post('/legal/accept', { type: 'terms' }))
    }
  }
  const workers = Array.from({ length: 8 }, async (_, worker) => { await accept(worker) })
  const admins = [admin, await second.as(adminClaims)]
  for (const [index, { id }] of drafts.entries()) {
    t.equal((await admins[index % 2]?.post(`/legal/admin/documents/${id}/publish`))?.status, 200)
  }
  still.publishing = false
  await Promise.all(workers)

  t.strictSame(Object.keys(tally(accepts)), ['201'], 'every accept is served while documents change')
  const history = await query(`select id, version, published_at, lead(published_at) over (order by published_at) as replaced_at
    from legal_documents where published_at is not null`)
  const documents = new Map(history.map(row => [row['id'], row]))
  const wrong = accepts.filter(({ json }) => {
    const document = documents.get(json.documentId)
    return document === undefined || document['version'] !== json.version || document['published_at'] as string > json.acceptedAt ||
      (document['replaced_at'] !== null && document['replaced_at'] as string < json.acceptedAt)
  })
  t.strictSame(wrong.map(({ json }) => [json, documents.get(json.documentId)]), [])
  t.ok(new Set(accepts.map(({ json }) => json.documentId)).size > 1, 'several documents were accepted')
  t.strictSame(
    await query(`select u.id from users u join document_acceptances a on a.user_id = u.id
      where (u.terms_version, u.terms_accepted_at) is distinct from (a.version, a.accepted_at)`),
    [], 'the user records are in step'
  )
})

t.test('readers never see zero or two active documents during publishes', async t => {
  const { admin, anybody, draft, published, query } = await legalApp(t)
  await published()
  await published({ type: 'privacy' })
  const drafts = await Promise.all(Array.from({ length: 20 }, async (_, index) => await draft({ type: index % 2 === 0 ? 'terms' : 'privacy' })))
  const still = { publishing: true }
  let reads = 0
  const read = async (check: () => Promise<boolean>) => {
    while (still.publishing) {
      if (!await check()) t.fail('a reader saw no active document, or two')
      reads++
    }
  }
  const isOne = (documents: Document[]) => ['terms', 'privacy'].every(type =>
    documents.filter(document => document.type === type && document.isActive).length === 1)
  const readers = [
    read(async () => (await anybody.get('/legal/current/terms')).status === 200),
    read(async () => isOne((await admin.get('/legal/admin/documents')).json)),
    read(async () => {
      const { json } = await anybody.get('/legal/versions/terms')
      return json.versions.filter(({ isActive }: Document) => isActive).length === 1
    }),
    read(async () => (await admin.get('/legal/status')).json.currentPrivacyVersion !== null),
    read(async () => (await query('select type from legal_documents where is_active')).length === 2)
  ]
  await Promise.all(drafts.map(async ({ id }) => await admin.post(`/legal/admin/documents/${id}/publish`)))
  still.publishing = false
  await Promise.all(readers)
  t.ok(reads > 5, `${reads} reads`)
})

t.test('delete, publish and update of one draft at once: one of delete and publish wins, and the rest agrees with it', async t => {
  const { admin, draft } = await legalApp(t)
  for (let round = 0; round < 15; round++) {
    const { id } = await draft()
    const url = `/legal/admin/documents/${id}`
    const calls = [
      async () => await admin.delete(url),
      async () => await admin.post(`${url}/publish`, { gracePeriodDays: 3 }),
      async () => await admin.put(url, { content: 'Changed' })
    ]
    const order = [[0, 1, 2], [1, 2, 0], [2, 0, 1]][round % 3] as number[]
    const answers: Answer[] = []
    await Promise.all(order.map(async index => { answers[index] = await (calls[index] as () => Promise<Answer>)() }))
    const [deleted, published, updated] = answers as [Answer, Answer, Answer]
    const after = await admin.get(url)
    if (deleted.status === 200) {
      t.equal(published.status, 404)
      t.equal(after.status, 404)
    } else {
      t.equal(deleted.json.message, 'Cannot delete a published document')
      t.equal(published.status, 200)
      t.equal(after.json.content, published.json.content, 'a published text never changes')
      t.equal(after.json.gracePeriodDays, 3)
      if (updated.status === 200) t.equal(after.json.content, 'Changed', 'an update that was confirmed is in what was published')
    }
    t.ok([200, 400, 404].includes(updated.status))
  }
})

t.test('a user removed while it accepts: never a 500, and afterwards records and acceptances agree', async t => {
  const { admin, user, published, query } = await legalApp(t)
  await published()
  const ann = await user('ann', { email: 'ann@example.com' })
  const answers = (await Promise.all(Array.from({ length: 60 }, async (_, index) => {
    if (index % 3 === 0) return await admin.delete('/legal/admin/users/ann')
    return index % 3 === 1 ? await ann.post('/legal/accept', { type: 'terms' }) : await ann.get('/legal/status')
  })))
  for (const { status, body } of answers) t.ok([200, 201, 404].includes(status), `${status} ${body.slice(0, 100)}`)
  t.strictSame(await query(`select u.id from users u left join document_acceptances a on a.user_id = u.id
    where u.terms_accepted_at is distinct from a.accepted_at and u.id = 'ann'`), [])
})

t.test('two instances: what one publishes the other\'s accept and status know at once', async t => {
  const { published, url } = await legalApp(t)
  const second = await testApp(t, { url })
  for (let round = 0; round < 5; round++) {
    const { id, version } = await published({ version: nextVersion() })
    const someone = await second.as({ sub: `user-${round}` })
    t.match((await someone.get('/legal/status')).json, { currentTermsVersion: version, needsTermsAcceptance: true })
    t.match((await someone.post('/legal/accept', { type: 'terms', documentId: id })).json, { documentId: id })
    t.match((await someone.get('/legal/status')).json, { needsTermsAcceptance: false })
  }
})
