import t from 'tap'
import { fields, hasKeys, legalApp } from './helper.js'

const nothing = {
  needsAcceptance: false,
  needsTermsAcceptance: false,
  needsPrivacyAcceptance: false,
  currentTermsVersion: null,
  currentPrivacyVersion: null,
  userTermsVersion: null,
  userPrivacyVersion: null,
  termsRequiresImmediate: false,
  privacyRequiresImmediate: false,
  termsGracePeriodDays: 0,
  privacyGracePeriodDays: 0
}

t.test('no active document: versions null, flags false, requiresImmediate false, grace 0; drafts count for nothing', async t => {
  const { user, draft } = await legalApp(t)
  await draft({ gracePeriodDays: 9 })
  const { status, json } = await (await user('ann')).get('/legal/status')
  t.equal(status, 200)
  hasKeys(t, json, fields.status)
  t.strictSame(json, nothing)
})

/** What a user may have done with the documents of a type that has an active one: nothing, accepted it, or the one before it. */
const situations = ['unseen', 'accepted', 'outdated'] as const
const types = { terms: 'Terms', privacy: 'Privacy' } as const

t.test('status flags in every combination of situations of the two types', async t => {
  for (const published of [['terms', 'privacy'], ['terms'], ['privacy'], []] as Array<Array<keyof typeof types>>) {
    t.test(`active documents of: ${published.join(', ') || 'no type'}`, async t => {
      const app = await legalApp(t)
      const choices = (type: keyof typeof types) => published.includes(type) ? situations : ['none'] as const
      const users = await Promise.all(choices('terms').flatMap(terms => choices('privacy').map(async privacy =>
        ({ terms, privacy, client: await app.user(`${terms} ${privacy}`) }))))
      const expected = new Map(users.map(user => [user, { ...nothing } as Record<string, unknown>]))
      const acceptAs = async (situation: string, type: keyof typeof types, version: string) => {
        for (const user of users.filter(user => user[type] === situation)) {
          await user.client.post('/legal/accept', { type })
          Object.assign(expected.get(user) ?? {}, { [`user${types[type]}Version`]: version })
        }
      }
      for (const type of published) {
        await acceptAs('outdated', type, (await app.published({ type, requiresImmediate: true })).version)
        const { version } = await app.published({ type, requiresImmediate: type === 'terms', gracePeriodDays: 11 })
        await acceptAs('accepted', type, version)
        for (const user of users) {
          Object.assign(expected.get(user) ?? {}, {
            [`current${types[type]}Version`]: version,
            [`needs${types[type]}Acceptance`]: user[type] !== 'accepted',
            [`${type}RequiresImmediate`]: type === 'terms',
            [`${type}GracePeriodDays`]: 11
          })
        }
      }
      for (const user of users) {
        const status = expected.get(user) ?? {}
        const needsAcceptance = status['needsTermsAcceptance'] === true || status['needsPrivacyAcceptance'] === true
        t.strictSame((await user.client.get('/legal/status')).json, { ...status, needsAcceptance }, `terms ${user.terms}, privacy ${user.privacy}`)
      }
    })
  }
})

t.test('a rollback: the flag asks for this document, not for its version; userTermsVersion is the last accepted one', async t => {
  const { user, published } = await legalApp(t)
  const ann = await user('ann')
  await published({ version: '2.0.0' })
  await ann.post('/legal/accept', { type: 'terms' })
  await published({ version: '1.0.0' })
  const status = { currentTermsVersion: '1.0.0', userTermsVersion: '2.0.0', needsTermsAcceptance: true }
  t.match((await ann.get('/legal/status')).json, status)
  await ann.post('/legal/accept', { type: 'terms' })
  t.match((await ann.get('/legal/status')).json, { ...status, userTermsVersion: '1.0.0', needsTermsAcceptance: false })
})

t.test('one user\'s acceptance is no other user\'s, also of look-alike ids', async t => {
  const { user, published } = await legalApp(t)
  await published()
  await (await user('ann')).post('/legal/accept', { type: 'terms' })
  for (const id of ['Ann', 'ann ', ' ann', 'ánn', 'ann\u200b', 'an']) {
    t.match((await (await user(id)).get('/legal/status')).json, { needsTermsAcceptance: true, userTermsVersion: null })
  }
})

t.test('the values published with the document are those of the status', async t => {
  const { user, draft, publish } = await legalApp(t)
  await publish((await draft({ gracePeriodDays: 1 })).id, { gracePeriodDays: 3650, requiresImmediate: false })
  t.match((await (await user('ann')).get('/legal/status')).json, { termsRequiresImmediate: false, termsGracePeriodDays: 3650 })
})

t.test('callers who ask at the same time get each their own status, also right after accepting', async t => {
  const app = await legalApp(t)
  const { version } = await app.published()
  const users = await Promise.all(Array.from({ length: 100 }, async (_, index) => await app.user(`crowd-${index}`)))
  await Promise.all(users.map(async (user, index) => {
    if (index % 2 === 0) t.equal((await user.post('/legal/accept', { type: 'terms' })).status, 201)
    const { json } = await user.get('/legal/status')
    t.equal(json.needsTermsAcceptance, index % 2 === 1)
    t.equal(json.userTermsVersion, index % 2 === 0 ? version : null)
  }))
})
