import t from 'tap'
import { adminClaims, type Client, testApp } from '../helper.js'
import { fields, hasKeys, isError, isoTime, legalApp } from './helper.js'

async function find (admin: Client, id: string) {
  const { json } = await admin.get('/legal/admin/users?limit=500')
  return json.users.find((user: { id: string }) => user.id === id)
}

t.test('PUT /legal/admin/users/:id registers a user ahead of its first call', async t => {
  const { admin } = await legalApp(t)

  t.test('200 with exactly the fields of a user; names are "" when unknown', async t => {
    const { status, json } = await admin.put('/legal/admin/users/ann', { email: 'ann@example.com' })
    t.equal(status, 200)
    hasKeys(t, json, fields.user)
    t.match(json, {
      id: 'ann',
      email: 'ann@example.com',
      firstName: '',
      lastName: '',
      termsVersion: null,
      termsAcceptedAt: null,
      privacyVersion: null,
      privacyAcceptedAt: null,
      createdAt: isoTime
    })
    t.strictSame(await find(admin, 'ann'), json)
  })

  t.test('again: the given fields change, the others stay', async t => {
    const before = (await admin.put('/legal/admin/users/bob', { email: 'b@example.com', firstName: 'Bob', lastName: 'Ray' })).json
    const { json } = await admin.put('/legal/admin/users/bob', { email: 'bob@example.com', firstName: 'Robert' })
    t.strictSame(json, { ...before, email: 'bob@example.com', firstName: 'Robert' })
  })

  t.test('two users may share an e-mail', async t => {
    t.equal((await admin.put('/legal/admin/users/twin-1', { email: 'twin@example.com' })).status, 200)
    t.equal((await admin.put('/legal/admin/users/twin-2', { email: 'twin@example.com' })).status, 200)
  })

  t.test('ids of 255 characters of any script, and with characters that paths escape', async t => {
    for (const id of ['x'.repeat(255), '\u{1F600}'.repeat(255), 'auth0|7/a?b#c%d&e', 'a b', '..%2f..', "' or 1=1 --", '"', '\\', 'ñ']) {
      const { status, json } = await admin.put(`/legal/admin/users/${encodeURIComponent(id)}`, { email: 'x@example.com' })
      t.equal(status, 200)
      t.equal(json.id, id)
      t.strictSame((await admin.delete(`/legal/admin/users/${encodeURIComponent(id)}`)).json, { success: true })
    }
    isError(t, await admin.put(`/legal/admin/users/${'x'.repeat(256)}`, { email: 'x@example.com' }), 400, /^params.id /)
    isError(t, await admin.put(`/legal/admin/users/${encodeURIComponent('\u{1F600}'.repeat(256))}`, { email: 'x@example.com' }), 400, /^params.id /)
    isError(t, await admin.put('/legal/admin/users/a%00b', { email: 'x@example.com' }), 400, /^params.id /)
  })

  t.test('lengths: e-mail 1-320, names 1-300 characters', async t => {
    const astral = '\u{10400}'
    const full = { email: astral.repeat(320), firstName: astral.repeat(300), lastName: 'x'.repeat(300) }
    t.match((await admin.put('/legal/admin/users/long', full)).json, full)
    for (const [field, limit] of [['email', 320], ['firstName', 300], ['lastName', 300]] as const) {
      for (const value of ['', 'x'.repeat(limit + 1), astral.repeat(limit + 1), null, 5, 'a\0', '\ud800']) {
        isError(t, await admin.put('/legal/admin/users/ann', { email: 'a@example.com', [field]: value }), 400, new RegExp(`^body.${field} `))
      }
    }
    isError(t, await admin.put('/legal/admin/users/ann', { firstName: 'x' }), 400, 'body.email is required')
    isError(t, await admin.put('/legal/admin/users/ann', { email: 'x', id: 'y' }), 400, 'body.id is not a known field')
  })
})

t.test('GET /legal/admin/users', async t => {
  const { admin, query } = await legalApp(t)
  const people = [['u1', 'ann@example.com', 'Ann', 'Lee'], ['u2', '100%_sure@example.com', 'Zoë', 'O\\Neil'], ['u3', 'bob@example.org', 'Bob', 'Ray']]
  for (const [id, email, firstName, lastName] of people) await admin.put(`/legal/admin/users/${id}`, { email, firstName, lastName })
  const ids = async (search: string) => (await admin.get(`/legal/admin/users?search=${encodeURIComponent(search)}`)).json.users.map(({ id }: { id: string }) => id)

  t.test('{users, total, limit, offset}, newest first', async t => {
    const { status, json } = await admin.get('/legal/admin/users?limit=2')
    t.equal(status, 200)
    hasKeys(t, json, ['users', 'total', 'limit', 'offset'])
    t.match(json, { total: 4, limit: 2, offset: 0 })
    t.same(json.users.map(({ id }: { id: string }) => id), ['u3', 'u2'])
    for (const user of json.users) hasKeys(t, user, fields.user)
    t.match((await admin.get('/legal/admin/users?limit=600&offset=50')).json, { users: [], total: 4, limit: 500, offset: 50 })
    isError(t, await admin.get('/legal/admin/users?limit=0'), 400, /^query.limit /)
    isError(t, await admin.get('/legal/admin/users?offset=x'), 400, /^query.offset /)
  })

  t.test('search is a literal substring of e-mail or names', async t => {
    t.same(await ids('example.org'), ['u3'])
    t.same(await ids('ANN'), ['u1'])
    t.same(await ids('ë'), ['u2'])
    t.same(await ids('%'), ['u2'])
    t.same(await ids('_'), ['u2'])
    t.same(await ids('\\'), ['u2'])
    t.same(await ids('ann@example_com'), [])
    t.same(await ids('Ann Lee'), ['u1'], 'also across both names')
    t.same(await ids("' or true --"), [])
    t.equal((await admin.get('/legal/admin/users?search=zzz')).json.total, 0)
    t.equal((await admin.get('/legal/admin/users?search=')).json.total, 4)
    isError(t, await admin.get('/legal/admin/users?search=a&search=b'), 400, /^query.search /)
    isError(t, await admin.get('/legal/admin/users?search=%00'), 400, /^query.search /)
    isError(t, await admin.get(`/legal/admin/users?search=${'x'.repeat(301)}`), 400, /^query.search /)
  })

  t.test('search folds letter case in every script', async t => {
    const names = ['ÉCOLE Straße', 'ΟΔΥΣΣΕΥΣ Γιώργος', 'ЁЛКА Иванов', 'Iznik İzmir', 'ԱՐՄԵՆ հայ', 'ＦＵＬＬ ｗｉｄｔｈ', '\u{10400}\u{10428} deseret', 'ǅungla ﬁn', 'K\u212a Ω\u2126']
    for (const [index, name] of names.entries()) {
      const [firstName, lastName] = name.split(' ')
      await admin.put(`/legal/admin/users/script-${index}`, { email: `${index}@scripts.example`, firstName, ...(lastName !== undefined && { lastName }) })
    }
    for (const [index, name] of names.entries()) {
      const characters = Array.from(name)
      const parts = [name, characters.slice(1).join(''), characters.slice(0, 4).join('')]
      for (const text of parts.flatMap(part => [part, part.toLowerCase(), part.toUpperCase()]).map(text => text.replace('i̇', 'i'))) {
        t.ok((await ids(text)).includes(`script-${index}`), `${text} in ${name}`)
      }
    }
    t.same(await ids('οδυσσευσ'), ['script-1'])
    t.same(await ids('STRASSE'), ['script-0'])
    t.same(await ids('ecole'), [], 'an accent is no letter case')
    for (const text of ['İZMİR', 'izmir', 'IZMIR']) t.same(await ids(text), ['script-3'], text)
    await Promise.all(names.map(async (_name, index) => await admin.delete(`/legal/admin/users/script-${index}`)))
  })

  t.test('users created in the same millisecond are listed by id descending', async t => {
    await query("update users set created_at = '2020-01-01T00:00:00Z'")
    t.same((await admin.get('/legal/admin/users')).json.users.map(({ id }: { id: string }) => id), ['u3', 'u2', 'u1', 'admin-1'])
  })
})

t.test('the user record follows the token', async t => {
  const { admin, user, published } = await legalApp(t)
  await published()

  const first: Array<[string, (client: Client) => Promise<unknown>]> = [
    ['GET /legal/status', async client => await client.get('/legal/status')],
    ['GET /legal/acceptances', async client => await client.get('/legal/acceptances')],
    ['POST /legal/accept', async client => await client.post('/legal/accept', { type: 'terms' })],
    ['a refused POST /legal/accept', async client => await client.post('/legal/accept', { type: 'privacy' })],
    ['a forbidden route of the legal admins', async client => await client.get('/legal/admin/documents')],
    ['a forbidden route of the signal admins', async client => await client.get('/contact-requests')],
    ['a forbidden route of the startups', async client => await client.get('/signal-pool')]
  ]
  for (const [index, [name, call]] of first.entries()) {
    t.test(`is created by ${name} and refreshed when claims change; an absent claim leaves what is known`, async t => {
      const id = `new-${index}`
      await call(await user(id, { email: 'old@example.com', given_name: 'Old', family_name: 'Name' }))
      const before = await find(admin, id)
      t.match(before, { email: 'old@example.com', firstName: 'Old', lastName: 'Name' })
      await call(await user(id, { email: 'new@example.com', given_name: 'New', family_name: 'Name' }))
      const { termsVersion, termsAcceptedAt } = before
      t.match(await find(admin, id), { email: 'new@example.com', firstName: 'New', termsVersion, termsAcceptedAt, createdAt: before.createdAt })
      await call(await user(id))
      t.match(await find(admin, id), { email: 'new@example.com', firstName: 'New', lastName: 'Name' })
    })
  }

  t.test('a registered user keeps its record and acceptance fields when it first calls', async t => {
    await admin.put('/legal/admin/users/early', { email: 'early@example.com', firstName: 'Early' })
    await (await user('early', { family_name: 'Bird' })).get('/legal/status')
    t.match(await find(admin, 'early'), { email: 'early@example.com', firstName: 'Early', lastName: 'Bird' })
  })

  t.test('an admin is a user too', async t => {
    t.match(await find(admin, 'admin-1'), { email: adminClaims.email, firstName: 'Ada', lastName: 'Admin' })
  })
})

t.test('DELETE /legal/admin/users/:id', async t => {
  const { admin, user, published, url } = await legalApp(t)
  const { id } = await published()
  const ann = await user('ann', { email: 'ann@example.com' })
  const second = await testApp(t, { url })
  const annElsewhere = await second.as({ sub: 'ann', email: 'ann@example.com' })

  t.test('unknown: 404 "User not found"', async t => {
    for (const unknown of ['nobody', '%F0%9F%98%80', 'x'.repeat(256), 'x'.repeat(3000)]) {
      isError(t, await admin.delete(`/legal/admin/users/${unknown}`), 404, 'User not found')
    }
  })

  for (const [name, again] of [['this', ann], ['another', annElsewhere]] as const) {
    t.test(`removed with its acceptances, and created anew by its next call on ${name} instance`, async t => {
      await ann.post('/legal/accept', { type: 'terms' })
      await annElsewhere.get('/legal/status')
      t.strictSame((await admin.delete('/legal/admin/users/ann')).json, { success: true })
      t.equal(await find(admin, 'ann'), undefined)
      t.equal((await admin.get('/legal/admin/acceptances')).json.total, 0)
      t.match((await admin.get(`/legal/admin/documents/${id}`)).json, { acceptances: [], acceptanceCount: 0 })
      t.match((await admin.get(`/legal/admin/documents/${id}/analytics`)).json, { totalAcceptances: 0, totalUsers: 1 })
      t.match((await again.get('/legal/status')).json, { needsTermsAcceptance: true, userTermsVersion: null })
      t.match(await find(admin, 'ann'), { email: 'ann@example.com', termsVersion: null, termsAcceptedAt: null })
      t.equal((await again.post('/legal/accept', { type: 'terms' })).status, 201)
      await admin.delete('/legal/admin/users/ann')
      t.equal((await again.post('/legal/accept', { type: 'terms' })).status, 201, 'also when that call is an accept')
      await admin.delete('/legal/admin/users/ann')
    })
  }

  t.test('an admin may remove itself and is there again with its next call', async t => {
    t.equal((await admin.delete('/legal/admin/users/admin-1')).status, 200)
    t.match(await find(admin, 'admin-1'), { id: 'admin-1' })
  })
})
