import t from 'tap'
import type { Test } from 'tap'
import { legalApp } from './helper.js'

// What must always hold is held by the database, whoever writes: here it is somebody at a psql prompt.

const insertDocument = `insert into legal_documents
  (id, type, version, title, content, effective_date, published_at, published_by, is_active, requires_immediate, grace_period_days)
  values ($1, $2, $3, $4, $5, now(), $6, $7, $8, true, $9)`

interface Document {
  id?: string | null
  type?: string | null
  version?: string | null
  title?: string | null
  content?: string | null
  publishedAt?: string | null
  publishedBy?: string | null
  isActive?: boolean | null
  gracePeriodDays?: number | null
}

let count = 0
function uuid (): string {
  return `019a4c1e-5b7a-7c3d-9e2f-${String(++count).padStart(12, '0')}`
}

function values (over: Document): unknown[] {
  const { id, type, version, title, content, publishedAt, publishedBy, isActive, gracePeriodDays } = {
    id: uuid(),
    type: 'terms',
    version: `1.${++count}.0`,
    title: 'Title',
    content: 'Content',
    publishedAt: null,
    publishedBy: null,
    isActive: false,
    gracePeriodDays: 0,
    ...over
  }
  return [id, type, version, title, content, publishedAt, publishedBy, isActive, gracePeriodDays]
}

type Query = Awaited<ReturnType<typeof legalApp>>['query']

/** SQLSTATEs: 23502 not null, 23503 foreign key, 23505 unique, 23514 check, 22001 too long, LD00n the triggers'. */
async function refused (t: Test, query: Query, code: string, text: string, parameters: readonly unknown[] = [], name = text): Promise<void> {
  await t.rejects(query(text, parameters), { code }, `${code}: ${name}`)
}

t.test('documents', async t => {
  const { query, published, draft } = await legalApp(t)

  t.test('a plain draft is accepted, so that the refusals below are for their own reason', async t => {
    await t.resolves(query(insertDocument, values({})))
    await t.resolves(query(insertDocument, values({ title: '\u{1F600}'.repeat(300), gracePeriodDays: 3650, version: '0.0.0' })))
  })

  const checks: Array<[string, Document]> = [
    ['type', { type: 'cookies' }], ['type', { type: 'Terms' }], ['type', { type: '' }],
    ...['1', '1.0', '1.0.0.0', '01.0.0', '1.00.0', 'v1.0.0', '1.0.0-beta', '1.0.0 ', ' 1.0.0', '1.0.0\n', '-1.0.0', '1..0', '', '1.0.٣',
      `1.0.${'9'.repeat(29)}`].map((version): [string, Document] => ['version', { version }]),
    ['title', { title: '' }], ['title', { title: 'x'.repeat(301) }],
    ['content', { content: '' }], ['content', { content: 'x'.repeat(2 * 1024 * 1024 + 1) }], ['content', { content: 'é'.repeat(1024 * 1024 + 1) }],
    ['grace period', { gracePeriodDays: -1 }], ['grace period', { gracePeriodDays: 3651 }],
    ['a draft that is active', { isActive: true }],
    ['published by nobody', { publishedAt: '2026-01-01T00:00:00Z' }],
    ['a publisher of a draft', { publishedBy: 'a@example.com' }]
  ]
  for (const [name, over] of checks) {
    const [field, value] = Object.entries(over)[0] as [string, unknown]
    t.test(`check of ${name}: ${field} ${JSON.stringify(value).slice(0, 40)}`, async t => {
      await refused(t, query, '23514', insertDocument, values(over), name)
    })
  }

  t.test('every column but published_at and published_by is required', async t => {
    for (const field of ['id', 'type', 'version', 'title', 'content', 'isActive', 'gracePeriodDays']) {
      await refused(t, query, '23502', insertDocument, values({ [field]: null }), field)
    }
  })

  t.test('the pair (type, version) is unique', async t => {
    await query(insertDocument, values({ version: '7.7.7' }))
    await refused(t, query, '23505', insertDocument, values({ version: '7.7.7' }))
    await t.resolves(query(insertDocument, values({ version: '7.7.7', type: 'privacy' })))
  })

  t.test('at most one document per type is active', async t => {
    const active = { publishedAt: '2026-01-01T00:00:00Z', publishedBy: 'a@example.com', isActive: true }
    await published()
    await refused(t, query, '23505', insertDocument, values(active))
    const { id } = await draft()
    await refused(t, query, '23505', "update legal_documents set published_at = now(), published_by = 'a', is_active = true where id = $1", [id])
  })

  t.test('publishing a draft makes it active: archived is never its first state', async t => {
    const { id } = await draft()
    await refused(t, query, 'LD002', "update legal_documents set published_at = now(), published_by = 'a' where id = $1", [id])
  })

  t.test('id, type and version of a draft are fixed', async t => {
    const { id } = await draft()
    for (const change of ["type = 'privacy'", "version = '9.9.9'", 'id = gen_random_uuid()']) {
      await refused(t, query, 'LD002', `update legal_documents set ${change} where id = $1`, [id])
    }
  })

  const changes = [
    "content = content || ' '", "title = 'Other'", "type = 'privacy'", "version = '9.9.9'", 'id = gen_random_uuid()',
    "effective_date = effective_date + interval '1 second'", "published_at = published_at + interval '1 second'",
    'published_at = null, published_by = null, is_active = false', "published_by = 'other'", 'requires_immediate = not requires_immediate',
    'grace_period_days = grace_period_days + 1', "created_at = created_at - interval '1 second'"
  ]
  for (const state of ['active', 'archived']) {
    t.test(`a published document is immutable: ${state}`, async t => {
      const { id } = await published()
      if (state === 'archived') await published()
      for (const change of changes) await refused(t, query, 'LD002', `update legal_documents set ${change} where id = $1`, [id])
      await refused(t, query, 'LD002', 'delete from legal_documents where id = $1', [id])
      if (state === 'archived') await refused(t, query, 'LD002', 'update legal_documents set is_active = true where id = $1', [id])
    })
  }

  t.test('a statement over all rows is refused as a whole', async t => {
    const before = await query('select count(*) from legal_documents')
    await refused(t, query, 'LD002', 'delete from legal_documents')
    await refused(t, query, 'LD002', 'truncate legal_documents cascade')
    await refused(t, query, 'LD002', "update legal_documents set title = 'x'")
    t.strictSame(await query('select count(*) from legal_documents'), before)
  })
})

t.test('acceptances', async t => {
  const { query, published, draft, user } = await legalApp(t)
  const document = await published()
  await query("insert into users (id) values ('ann'), ('bob')")
  const insert = 'insert into document_acceptances (id, user_id, document_id, type, version, ip_address, user_agent) values ($1, $2, $3, $4, $5, $6, $7)'
  const row = (over: Record<string, unknown> = {}) => Object.values({
    id: uuid(), user: 'ann', document: document.id, type: 'terms', version: document.version, ip: null, agent: null, ...over
  })

  t.test('one of the active document is accepted, a second by the same user is not', async t => {
    await t.resolves(query(insert, row()))
    await refused(t, query, '23505', insert, row())
    await t.resolves(query(insert, row({ user: 'bob' })))
  })

  t.test('user and document must exist, and version and type be the document\'s', async t => {
    await query("insert into users (id) values ('cid')")
    await refused(t, query, '23503', insert, row({ user: 'nobody' }))
    await refused(t, query, '23503', insert, row({ user: 'cid', version: '9.9.9' }))
    await refused(t, query, '23503', insert, row({ user: 'cid', type: 'privacy' }))
    await t.rejects(query(insert, row({ user: 'cid', document: uuid() })))
  })

  t.test('lengths', async t => {
    await refused(t, query, '23514', insert, row({ user: 'cid', ip: 'x'.repeat(65) }), 'ip_address')
    await refused(t, query, '23514', insert, row({ user: 'cid', agent: 'x'.repeat(2049) }), 'user_agent')
  })

  t.test('an acceptance is never changed', async t => {
    for (const change of ["accepted_at = now() - interval '1 day'", "ip_address = '::1'", "user_agent = 'x'", "user_id = 'bob'", 'id = gen_random_uuid()']) {
      await refused(t, query, 'LD003', `update document_acceptances set ${change}`)
    }
  })

  t.test('the audit records are never truncated', async t => {
    await refused(t, query, 'LD003', 'truncate document_acceptances')
    await refused(t, query, 'LD003', 'truncate users cascade')
  })

  t.test('only the active document can be accepted: no draft, no archived one, not even among others', async t => {
    const { id, version } = await draft()
    await refused(t, query, 'LD001', insert, row({ user: 'cid', document: id, version }))
    const next = await published()
    await refused(t, query, 'LD001', insert, row({ user: 'cid' }))
    await refused(t, query, 'LD001', `insert into document_acceptances (id, user_id, document_id, type, version)
      select gen_random_uuid(), 'cid', id, type, version from legal_documents where published_at is not null`)
    await t.resolves(query(insert, row({ user: 'cid', document: next.id, version: next.version })))
  })

  t.test('acceptances are removed with their user, and with nobody else', async t => {
    await query("delete from users where id = 'ann'")
    t.strictSame(await query("select count(*)::int as left from document_acceptances where user_id = 'ann'"), [{ left: 0 }])
    t.strictSame(await query("select count(*)::int as left from document_acceptances where user_id = 'bob'"), [{ left: 1 }])
    t.equal((await (await user('bob')).get('/legal/acceptances')).json.total, 1)
  })

  t.test('acceptances are removed with their document, where a document can be removed at all', async t => {
    const [constraint] = await query(`select confdeltype from pg_constraint
      where conrelid = 'document_acceptances'::regclass and confrelid = 'legal_documents'::regclass`)
    t.strictSame(constraint, { confdeltype: 'c' })
  })
})

t.test('users', async t => {
  const { query } = await legalApp(t)
  t.test('ids have 1 to 255 characters and are unique', async t => {
    await t.resolves(query('insert into users (id) values ($1)', ['\u{1F600}'.repeat(255)]))
    await refused(t, query, '23514', 'insert into users (id) values ($1)', ['x'.repeat(256)], '256 characters')
    await refused(t, query, '23514', "insert into users (id) values ('')")
    await query("insert into users (id) values ('ann')")
    await refused(t, query, '23505', "insert into users (id) values ('ann')")
  })

  t.test('time and version of the last acceptance come together', async t => {
    for (const type of ['terms', 'privacy']) {
      await refused(t, query, '23514', `insert into users (id, ${type}_version) values ('${type}-1', '1.0.0')`)
      await refused(t, query, '23514', `insert into users (id, ${type}_accepted_at) values ('${type}-2', now())`)
    }
  })
})
