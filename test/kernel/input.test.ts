import t from 'tap'
import { draftBody, isError, legalApp } from '../legal/helper.js'

t.test('input', async t => {
  const { admin, anybody, user, draft } = await legalApp(t)
  const create = '/legal/admin/documents'

  const integers: Array<[string, boolean]> = [
    ['1', true], ['007', true], ['500', true], ['0', false], ['-1', false], ['+1', false], ['1.0', false], ['1e2', false], ['0x10', false],
    ['0b1', false], ['1_000', false], ['1,000', false], ['', false], ['%20', false], ['1%20', false], ['%09' + '1', false], ['null', false], ['true', false],
    ['[1]', false], ['%EF%BC%91', false], ['NaN', false], ['Infinity', false]
  ]
  for (const [text, accepted] of integers) {
    t.test(`query integers are decimal digits only: limit=${text} is ${accepted ? 200 : 400}`, async t => {
      const answer = await admin.get(`/legal/admin/acceptances?limit=${text}`)
      if (accepted) t.equal(answer.status, 200)
      else isError(t, answer, 400, /^query.limit /)
    })
  }

  t.test('offset is at most 2^53 - 1', async t => {
    t.equal((await admin.get('/legal/admin/acceptances?offset=9007199254740991')).status, 200)
    isError(t, await admin.get('/legal/admin/acceptances?offset=9007199254740992'), 400, /^query.offset /)
    isError(t, await admin.get('/legal/admin/acceptances?offset=9007199254740993'), 400, /^query.offset /)
  })

  t.test('a repeated scalar query key is 400, also with the same value', async t => {
    for (const [url, name] of [[create, 'type=terms'], ['/legal/admin/users', 'search=x'], ['/legal/acceptances', 'limit=1'], ['/legal/versions/terms', 'offset=0']] as const) {
      isError(t, await admin.get(`${url}?${name}&${name}`), 400, new RegExp(`^query.${name.split('=')[0]} `))
    }
  })

  t.test('unknown query keys are ignored', async t => {
    t.equal((await admin.get('/legal/admin/acceptances?__proto__=1&constructor=2&nothing=3&=4&&')).status, 200)
  })

  const unreadable = ['%00', 'a%00b', '%ED%A0%80', '%ED%BF%BF', '%FF', '%C0%80', '%zz', '%', '%F0%9F%98']
  for (const text of unreadable) {
    t.test(`U+0000, lone surrogates and what is no UTF-8 are 400: ${text}`, async t => {
      isError(t, await admin.get(`/legal/admin/users?search=${text}`), 400, /^query.search /)
      isError(t, await admin.get(`/legal/admin/documents?type=${text}`), 400, /^query.type /)
      isError(t, await admin.get(`/legal/admin/acceptances?limit=1&offset=${text}`), 400, /^query.offset /)
      for (const url of [`/legal/admin/documents/${text}`, `/legal/current/${text}`, `/legal/versions/terms/${text}`]) {
        isError(t, await admin.get(url), 400, /^params\.|^The path cannot be decoded$/)
      }
      isError(t, await admin.put(`/legal/admin/users/${text}`, { email: 'x' }), 400, /^params.id |^The path cannot be decoded$/)
      isError(t, await admin.delete(`/legal/admin/users/${text}`), 400, /^params.id |^The path cannot be decoded$/)
    })
  }

  t.test('U+0000 and lone surrogates in every text of a body are 400 naming the field', async t => {
    const ann = await user('ann')
    const { id } = await draft()
    for (const text of ['\0', 'a\0b', '\ud800', 'x\udfffy', '\udc00\ud800']) {
      for (const field of ['title', 'content']) {
        isError(t, await admin.post(create, draftBody({ [field]: text })), 400, new RegExp(`^body.${field} `))
        isError(t, await admin.put(`${create}/${id}`, { [field]: text }), 400, new RegExp(`^body.${field} `))
      }
      for (const field of ['ipAddress', 'userAgent', 'documentId', 'version']) {
        isError(t, await ann.post('/legal/accept', { type: 'terms', [field]: text }), 400, new RegExp(`^body.${field} `))
      }
      for (const field of ['email', 'firstName', 'lastName']) {
        isError(t, await admin.put('/legal/admin/users/ann', { email: 'x', [field]: text }), 400, new RegExp(`^body.${field} `))
      }
    }
  })

  t.test('a pair of surrogates is one character', async t => {
    t.equal((await draft({ title: '\ud83d\ude00' })).title, '\u{1F600}')
  })

  const send = async (payload: Buffer | string, contentType = 'application/json') =>
    await admin.send({ method: 'POST', url: create, headers: { 'content-type': contentType }, payload })

  t.test('bodies that are not valid UTF-8 are 400', async t => {
    const [before, after] = JSON.stringify(draftBody({ title: '@' })).split('@') as [string, string]
    const wrong = { 'a lone byte': [0xff], 'cut short': [0xe2, 0x82], overlong: [0xc0, 0x80], 'a surrogate': [0xed, 0xa0, 0x80], 'beyond U+10FFFF': [0xf4, 0x90, 0x80, 0x80], latin1: [0xe9] }
    for (const [name, bytes] of Object.entries(wrong)) {
      const answer = await send(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]))
      isError(t, answer, 400, 'body must be valid UTF-8')
      t.ok(name)
    }
    t.equal((await send(Buffer.from(`${before}é€\u{1F600}${after}`))).status, 201)
  })

  t.test('a byte order mark is 400', async t => {
    isError(t, await send(`\ufeff${JSON.stringify(draftBody())}`), 400, /byte order mark/)
    isError(t, await send(Buffer.from(JSON.stringify(draftBody()), 'utf16le')), 400, /^body/)
  })

  t.test('other encodings of JSON are 400, parameters of the media type are fine', async t => {
    for (const text of ['{', '', ' ', '{"type": undefined}', "{'type': 'terms'}", '{"type": "terms",}', 'NaN', '{"a":1}{"b":2}', '{"title": "a\tb"}']) {
      isError(t, await send(text), 400, /^body/)
    }
    for (const type of ['application/json; charset=utf-8', 'application/json;charset=UTF-8', 'APPLICATION/JSON', 'application/json; a=b']) {
      t.equal((await send(JSON.stringify(draftBody()), type)).status, 201, type)
    }
  })

  t.test('a body nested a hundred thousand deep is 400, not the end of the process', async t => {
    isError(t, await send('['.repeat(100_000) + ']'.repeat(100_000)), 400, /^body/)
    isError(t, await send(`{"title":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`), 400, /^body/)
  })

  t.test('of a repeated key in a body the last one counts, as in every JSON parser', async t => {
    const text = JSON.stringify(draftBody({ title: 'second' })).replace('"title"', '"title":"first","title"')
    t.equal((await send(text)).json.title, 'second')
  })

  t.test('percent-encoded letters in a path mean those letters', async t => {
    t.equal((await anybody.get('/legal/curr%65nt/t%65rms')).status, 404)
    isError(t, await anybody.get('/legal/current/t%65rms'), 404, 'No active terms document found')
  })
})
