import t from 'tap'
import { draftBody, isError, legalApp } from './helper.js'

const mebibyte = 1024 * 1024

t.test('create', async t => {
  const { admin, draft, query } = await legalApp(t)
  const create = async (over: Record<string, unknown>) => await admin.post('/legal/admin/documents', draftBody(over))

  t.test('each required field, when missing, is named', async t => {
    for (const field of ['type', 'version', 'title', 'content', 'effectiveDate']) {
      isError(t, await create({ [field]: undefined }), 400, `body.${field} is required`)
    }
  })

  const wrong: Record<string, unknown[]> = {
    type: ['cookies', 'Terms', '', ' terms', 'terms\0', 5, null, true, ['terms'], {}],
    version: ['1', '1.0', '1.0.0.0', '01.0.0', '1.01.0', '1.0.00', 'v1.0.0', '1.0.0-beta', '1.0.0+1', '1.0.0 ', ' 1.0.0', '1.0.0\n', '-1.0.0',
      '1.-0.0', '1..0', '.1.0', '', '1.0.\u0663', '１.0.0', '1,0,0', '1e1.0.0', `1.0.${'9'.repeat(29)}`, 1, 1.5, null, ['1.0.0']],
    title: ['', 'x'.repeat(301), '\u{1F600}'.repeat(301), 'a\0b', '\ud800', 'x\udc00', null, 5, true, ['x'], {}],
    content: ['', 'a\0', 'a\ud800b', null, 5, false, ['x'], {}],
    effectiveDate: ['', 'soon', '2026-01-01', '2026-01-01T00:00:00', 1767225600, null, true, '2026-02-30T00:00:00Z'],
    requiresImmediate: ['true', 'false', 0, 1, null, '', [], {}],
    gracePeriodDays: ['5', '', 1.5, -1, 3651, null, true, [], {}, 1e300, '0x1']
  }
  for (const [field, values] of Object.entries(wrong)) {
    t.test(`${field}: wrong kinds and forms are 400 and named, nothing is coerced`, async t => {
      for (const value of values) {
        isError(t, await create({ [field]: value }), 400, new RegExp(`^body.${field} `))
      }
    })
  }

  t.test('an unknown field is 400 and named', async t => {
    for (const field of ['publishedAt', 'isActive', 'id', 'contents', 'Title', '', 'a/b~c', 'toString']) {
      isError(t, await create({ [field]: 'x' }), 400, `body.${field} is not a known field`)
    }
  })

  t.test('nothing of all that was stored', async t => {
    t.strictSame(await query('select count(*)::int as documents from legal_documents'), [{ documents: 0 }])
  })

  t.test('the widest values that are allowed', async t => {
    const title = '\u{1F600}'.repeat(300)
    for (const version of ['0.0.0', '10.20.30', `1.0.${'9'.repeat(28)}`]) t.equal((await draft({ version })).version, version)
    t.equal((await draft({ title })).title, title)
    t.match(await draft({ gracePeriodDays: 0, requiresImmediate: false }), { gracePeriodDays: 0, requiresImmediate: false })
    t.match(await draft({ gracePeriodDays: 3650 }), { gracePeriodDays: 3650 })
    t.equal((await draft({ content: ' ' })).content, ' ')
  })

  t.test('update takes the same values', async t => {
    const { id } = await draft()
    for (const field of ['title', 'content', 'effectiveDate', 'requiresImmediate', 'gracePeriodDays']) {
      for (const value of wrong[field] as unknown[]) {
        isError(t, await admin.put(`/legal/admin/documents/${id}`, { [field]: value }), 400, new RegExp(`^body.${field} `))
      }
    }
  })

  t.test('publish takes the same values, and validation comes before the unknown id', async t => {
    const { id } = await draft()
    for (const target of [id, '019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f', 'nonsense']) {
      for (const field of ['requiresImmediate', 'gracePeriodDays']) {
        for (const value of wrong[field] as unknown[]) {
          isError(t, await admin.post(`/legal/admin/documents/${target}/publish`, { [field]: value }), 400, new RegExp(`^body.${field} `))
        }
      }
      isError(t, await admin.post(`/legal/admin/documents/${target}/publish`, { title: 'x' }), 400, 'body.title is not a known field')
    }
    t.match((await admin.get(`/legal/admin/documents/${id}`)).json, { publishedAt: null })
  })
})

t.test('datetimes', async t => {
  const { admin } = await legalApp(t)
  const good: Array<[string, string]> = [
    ['2026-02-01T00:00:00Z', '2026-02-01T00:00:00.000Z'],
    ['2026-02-01t00:00:00z', '2026-02-01T00:00:00.000Z'],
    ['2026-02-01T00:00:00+02:00', '2026-01-31T22:00:00.000Z'],
    ['2026-02-01T00:00:00-23:59', '2026-02-01T23:59:00.000Z'],
    ['2026-02-01T00:00:00-00:00', '2026-02-01T00:00:00.000Z'],
    ['2024-02-29T23:59:59.9Z', '2024-02-29T23:59:59.900Z'],
    ['2000-02-29T12:00:00.123456789Z', '2000-02-29T12:00:00.123Z'],
    ['2026-02-01T00:00:00.9999Z', '2026-02-01T00:00:00.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00-01:00', '0001-01-01T01:00:00.000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['1582-10-10T00:00:00Z', '1582-10-10T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z']
  ]
  for (const [sent, stored] of good) {
    t.test(`${sent} comes back as ${stored}`, async t => {
      const { status, json } = await admin.post('/legal/admin/documents', draftBody({ effectiveDate: sent }))
      t.equal(status, 201)
      t.equal(json.effectiveDate, stored)
      t.equal((await admin.get(`/legal/admin/documents/${json.id}`)).json.effectiveDate, stored)
    })
  }
  const bad = [
    '2026-02-01', '2026-02-01T00:00:00', '2026-02-01T00:00Z', '2026-02-01 00:00:00Z', '20260201T000000Z', '2026-2-1T00:00:00Z',
    '2026-02-30T00:00:00Z', '2025-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01T23:60:00Z',
    '2016-12-31T23:59:60Z', '2026-01-01T00:00:00+24:00', '2026-01-01T00:00:00+00:60', '2026-01-01T00:00:00+0200', '2026-01-01T00:00:00+02',
    '0000-01-01T00:00:00Z', '0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '10000-01-01T00:00:00Z', '-0001-01-01T00:00:00Z',
    '+002026-01-01T00:00:00Z', '2026-01-01T00:00:00.Z', '2026-01-01T00:00:00,5Z', ' 2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z ',
    '2026-01-01T00:00:00Z\n', '２026-01-01T00:00:00Z', 'now', 'infinity', '1767225600', '2026-W01-1T00:00:00Z', '2026-01-01T00:00:00[UTC]'
  ]
  t.test('all others are 400', async t => {
    for (const effectiveDate of bad) {
      isError(t, await admin.post('/legal/admin/documents', draftBody({ effectiveDate })), 400, /^body.effectiveDate /)
    }
  })
})

t.test('texts of documents come back byte for byte', async t => {
  const { admin, anybody, draft, publish } = await legalApp(t)
  const texts = {
    'line ends, tabs, blanks at both ends': ' \r\n\n\r\ttext\u00a0\u2028\u2029 \n',
    'control characters but U+0000': Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('') + '\u007f\u0085',
    'composed and decomposed letters': 'é e\u0301 \u1e9b\u0323 \ufb01 \u212a K İ ı ß ẞ',
    'right-to-left, combining, joined': 'שָׁלוֹם مرحبا \u202e\u2066x\u2069 नमस्ते ไทย \u{1F469}\u200d\u{1F469}\u200d\u{1F467}\u{1F3FD} \u{1F1F5}\u{1F1F1}',
    'noncharacters and the last code point': '\ufeff\ufffe\uffff\ufffd\u{1fffe}\u{10ffff}\ue000',
    'what other languages escape': '\\u0000 \\0 %00 &lt; <script>alert(1)</script> $x \'"`; drop table users; -- $1 {{x}}',
    'JSON inside': JSON.stringify({ a: ['\u0001', '\\', '"'] })
  }
  for (const [name, content] of Object.entries(texts)) {
    t.test(name, async t => {
      const created = await draft({ content, title: content.slice(0, 100) })
      t.equal(created.content, content)
      t.equal(created.title, content.slice(0, 100))
      await publish(created.id)
      t.equal((await anybody.get('/legal/current/terms')).json.content, content)
      t.equal((await admin.get(`/legal/admin/documents/${created.id}`)).json.content, content)
      t.equal((await anybody.get(`/legal/versions/terms/${created.version}`)).json.content, content)
    })
  }

  const sample = 'Terms Условия 条款 Όροι شروط תנאים \u{1F469}\u200d\u{1F4BB}\u{1F4DC} '
  const mixed = sample.repeat(Math.floor(2 * mebibyte / Buffer.byteLength(sample)))
  const full = mixed + 'x'.repeat(2 * mebibyte - Buffer.byteLength(mixed))

  t.test('2 MiB of mixed scripts and emoji; one byte more is 400', async t => {
    t.equal(Buffer.byteLength(full), 2 * mebibyte)
    const { id } = await draft({ content: full })
    await publish(id)
    t.ok((await anybody.get('/legal/current/terms')).json.content === full)
    isError(t, await admin.post('/legal/admin/documents', draftBody({ content: `${full}x` })), 400, /^body.content /)
    isError(t, await admin.put(`/legal/admin/documents/${id}`, { content: `${full}x` }), 400, /^body.content /)
  })

  t.test('2 MiB of which every byte is escaped in the JSON; one byte more is 400', async t => {
    const send = async (bytes: number) => await admin.send({
      method: 'POST',
      url: '/legal/admin/documents',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(draftBody({ content: '@' })).replace('@', '\\u0041'.repeat(bytes))
    })
    const { status, json } = await send(2 * mebibyte)
    t.equal(status, 201)
    t.ok(json.content === 'A'.repeat(2 * mebibyte))
    isError(t, await send(2 * mebibyte + 1), 400, /^body.content /)
  })
})
