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

/** What a user has done with a type: there is no active document, it is new to the user, accepted, or accepted before it was replaced. */
const situations = ['none', 'unseen', 'accepted', 'outdated'] as const

t.test('status flags in every combination of situations of the two types', async t => {
  for (const terms of situations) {
    for (const privacy of situations) {
      t.test(`terms ${terms}, privacy ${privacy}`, async t => {
        const { user, published } = await legalApp(t)
        const ann = await user('ann')
        const expected: Record<string, unknown> = { ...nothing }
        for (const [type, situation] of [['terms', terms], ['privacy', privacy]] as const) {
          if (situation === 'none') continue
          const name = type === 'terms' ? 'Terms' : 'Privacy'
          const first = await published({ type, requiresImmediate: type === 'terms', gracePeriodDays: 11 })
          if (situation !== 'unseen') {
            await ann.post('/legal/accept', { type })
            expected[`user${name}Version`] = first.version
          }
          const current = situation === 'outdated' ? await published({ type, requiresImmediate: false, gracePeriodDays: 30 }) : first
          expected[`current${name}Version`] = current.version
          expected[`needs${name}Acceptance`] = situation !== 'accepted'
          expected[`${type}RequiresImmediate`] = current.requiresImmediate
          expected[`${type}GracePeriodDays`] = current.gracePeriodDays
        }
        expected['needsAcceptance'] = expected['needsTermsAcceptance'] === true || expected['needsPrivacyAcceptance'] === true
        t.strictSame((await ann.get('/legal/status')).json, expected)
      })
    }
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
