import t from 'tap'
import { secret } from '../helper.js'
import { isError } from '../legal/helper.js'
import { claimsOf, forge, tokenApp } from './helper.js'
import { readCaller } from '../../src/auth/caller.js'
import { loadConfig } from '../../src/config.js'

const make = (over: Record<string, unknown>): string => forge({ alg: 'HS256' }, claimsOf(over))

t.test('the kinds of claims: another kind than the contract\'s is 401', async t => {
  const { accepts, refuses } = await tokenApp(t, { JWT_SECRET: secret, JWT_ROLES_CLAIM: 'realm_access.roles', JWT_STARTUP_CLAIM: 'https://x.example/startup' })
  const good: Array<Record<string, unknown>> = [
    { sub: 'x'.repeat(255) }, { sub: '\u{1F600}'.repeat(255) }, { sub: ' ' }, { sub: 'auth0|1/2?3#4' }, { sub: '0' },
    { email: '' }, { email: 'no address' }, { email_verified: false }, { email_verified: true },
    { given_name: '', family_name: '' }, { given_name: 'é\u{1F600}' },
    { realm_access: { roles: [] } }, { realm_access: { roles: '' } }, { realm_access: { roles: 'admin other' } }, { realm_access: {} }, { realm_access: 5 },
    { realm_access: null }, { 'realm_access.roles': ['x'] }, { 'realm_access.roles': [], realm_access: { roles: 5 } }, { roles: 5 },
    { 'https://x.example/startup': 's-1' }, { startupId: 5 }, { anything: { else: [1, null] } }
  ]
  for (const over of good) await accepts(t, make(over), JSON.stringify(over).slice(0, 60))
  const bad: Array<Record<string, unknown>> = [
    ...['', undefined, null, 5, true, [], ['ann'], {}, 'x'.repeat(256), '\u{1F600}'.repeat(256), 'a\0b', '\ud800'].map(sub => ({ sub })),
    ...[null, 5, true, [], ['a@example.com'], {}, 'a\0@example.com', '\udc00@example.com'].map(email => ({ email })),
    ...['true', 'false', 1, 0, null, []].map(verified => ({ email: 'a@example.com', email_verified: verified })),
    ...[null, 5, [], {}, 'a\0'].flatMap(name => [{ given_name: name }, { family_name: name }]),
    ...[null, 5, true, {}, [5], ['admin', null], [['admin']], { admin: true }].map(roles => ({ realm_access: { roles } })),
    { 'realm_access.roles': 5, realm_access: { roles: [] } },
    ...[null, 5, true, [], ['s-1'], {}, 's\0'].map(startup => ({ 'https://x.example/startup': startup }))
  ]
  for (const over of bad) await refuses(t, make(over), JSON.stringify(over).slice(0, 60))
})

t.test('admins of the legal area', async t => {
  const { ask } = await tokenApp(t, { JWT_SECRET: secret, ADMIN_EMAILS: ' Kim@Example.COM ,, island@example.com , ' })
  const level = async (over: Record<string, unknown>) => (await ask(make(over), '/legal/admin/documents')).status

  t.test('on the allow-list in any ASCII letter case, when email_verified is absent or true', async t => {
    for (const email of ['kim@example.com', 'KIM@EXAMPLE.COM', 'Kim@Example.COM', 'Island@example.com']) {
      t.equal(await level({ email }), 200, email)
      t.equal(await level({ email, email_verified: true }), 200)
      t.equal(await level({ email, email_verified: false }), 403)
    }
  })

  t.test('look-alikes, parts and blanks are other addresses', async t => {
    const others = ['\u212aim@example.com', 'k\u0131m@example.com', 'K\u0130M@example.com', '\u0131sland@example.com', 'i\u0307sland@example.com', 'i\u017fland@example.com',
      'kim@example.com.evil.example', 'xkim@example.com', 'kim@example', ' kim@example.com', 'kim@example.com ', 'kim@example.com,island@example.com', '', ',', '*', '@example.com',
      'kim＠example.com', 'kim@example.com\u200b', 'ｋim@example.com', 'kim@exam\u00adple.com']
    for (const email of others) t.equal(await level({ email }), 403, JSON.stringify(email))
  })

  t.test('a token without an e-mail is a user like any other; roles make no admin of the legal area', async t => {
    t.equal(await level({}), 403)
    t.equal(await level({ roles: ['admin'] }), 403)
    t.equal(await level({ preferred_username: 'kim@example.com', upn: 'kim@example.com' }), 403)
    isError(t, await ask(make({}), '/legal/admin/documents'), 403, 'Admin access required')
  })

  t.test('of two tokens of one user each has its own level', async t => {
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, index) => await level(index % 2 === 0 ? { email: 'kim@example.com' } : {})))
    t.same(answers, answers.map((_, index) => index % 2 === 0 ? 200 : 403))
  })
})

t.test('without ADMIN_EMAILS nobody is an admin of the legal area', async t => {
  const { ask } = await tokenApp(t, { JWT_SECRET: secret, ADMIN_EMAILS: '' })
  for (const email of ['', 'admin@example.com', 'undefined']) t.equal((await ask(make({ email }), '/legal/admin/documents')).status, 403)
})

t.test('roles and startup as a caller', async t => {
  const read = (over: Record<string, unknown>, env: Record<string, string> = {}) =>
    readCaller(claimsOf(over), loadConfig({ DATABASE_URL: 'postgres://x', JWT_SECRET: secret, ...env }).tokens)
  const nested = { JWT_ROLES_CLAIM: 'resource_access.my-app.roles', JWT_STARTUP_CLAIM: 'org.startup.id' }

  t.test('contains `admin`: admin of the signal area; array or space-separated string', async t => {
    for (const roles of [['admin'], ['x', 'admin'], 'admin', 'x admin y']) t.equal(read({ roles })?.isSignalAdmin, true, JSON.stringify(roles))
    for (const roles of [[], ['Admin'], ['administrator'], ['admin '], ['x admin'], 'Admin', 'administrator', 'x,admin', 'x\tadmin', '', undefined]) {
      t.equal(read({ roles })?.isSignalAdmin, false, JSON.stringify(roles))
    }
  })

  t.test('a claim\'s name may be a dotted path, or a name that has dots', async t => {
    t.equal(read({ resource_access: { 'my-app': { roles: ['admin'] } } }, nested)?.isSignalAdmin, true)
    t.equal(read({ 'resource_access.my-app.roles': ['admin'] }, nested)?.isSignalAdmin, true)
    t.equal(read({ resource_access: { other: { roles: ['admin'] } }, roles: ['admin'] }, nested)?.isSignalAdmin, false)
    t.equal(read({ 'https://x.example/roles': ['admin'] }, { JWT_ROLES_CLAIM: 'https://x.example/roles' })?.isSignalAdmin, true)
    t.equal(read({ org: { startup: { id: 's-1' } } }, nested)?.startupId, 's-1')
    t.equal(read({ org: { startup: { id: 5 } } }, nested), undefined)
  })

  t.test('what every object inherits is no claim', async t => {
    for (const name of ['constructor', '__proto__', 'toString', 'constructor.name', '__proto__.constructor.name', 'sub.length']) {
      const caller = read({}, { JWT_STARTUP_CLAIM: name, JWT_ROLES_CLAIM: name })
      t.not(caller, undefined, name)
      t.equal(caller?.startupId, undefined)
      t.equal(caller?.isSignalAdmin, false)
    }
  })
})
