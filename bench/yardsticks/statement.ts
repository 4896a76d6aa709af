import Fastify from 'fastify'
import { createHmac, timingSafeEqual } from 'node:crypto'
import pg from 'pg'

// Bare Fastify with a token check that remembers, and one named statement by plain pg for each request.
const secret = process.env['JWT_SECRET'] ?? ''
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })

const text = `
  select u.email, u.terms_version, u.privacy_version, t.version as terms, t.requires_immediate as terms_immediate,
    t.grace_period_days as terms_grace, p.version as privacy, p.requires_immediate as privacy_immediate,
    p.grace_period_days as privacy_grace,
    exists (select from document_acceptances a where a.user_id = u.id and a.document_id = t.id) as terms_accepted,
    exists (select from document_acceptances a where a.user_id = u.id and a.document_id = p.id) as privacy_accepted
  from (values (1)) as one
  left join users u on u.id = $1
  left join legal_documents t on t.type = 'terms' and t.is_active
  left join legal_documents p on p.type = 'privacy' and p.is_active`

interface StatusRow {
  readonly terms_version: string | null
  readonly privacy_version: string | null
  readonly terms: string | null
  readonly terms_immediate: boolean
  readonly terms_grace: number
  readonly privacy: string | null
  readonly privacy_immediate: boolean
  readonly privacy_grace: number
  readonly terms_accepted: boolean
  readonly privacy_accepted: boolean
}

const users = new Map<string, string>()

function verify (header: string): string {
  const [head = '', payload = '', signature = ''] = header.slice('Bearer '.length).split('.')
  const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest()
  if (!timingSafeEqual(expected, Buffer.from(signature, 'base64url'))) throw new Error('Bad token')
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }
  users.set(header, sub)
  return sub
}

const nullableString = { type: ['string', 'null'] }
const schema = {
  response: {
    200: {
      type: 'object',
      properties: {
        needsAcceptance: { type: 'boolean' },
        needsTermsAcceptance: { type: 'boolean' },
        needsPrivacyAcceptance: { type: 'boolean' },
        currentTermsVersion: nullableString,
        currentPrivacyVersion: nullableString,
        userTermsVersion: nullableString,
        userPrivacyVersion: nullableString,
        termsRequiresImmediate: { type: 'boolean' },
        privacyRequiresImmediate: { type: 'boolean' },
        termsGracePeriodDays: { type: 'integer' },
        privacyGracePeriodDays: { type: 'integer' }
      }
    }
  }
}

const app = Fastify()
app.get('/legal/status', { schema }, async request => {
  const header = request.headers.authorization ?? ''
  const { rows } = await pool.query<StatusRow>({ name: 'status', text, values: [users.get(header) ?? verify(header)] })
  const row = rows[0] as StatusRow
  const needsTermsAcceptance = row.terms !== null && !row.terms_accepted
  const needsPrivacyAcceptance = row.privacy !== null && !row.privacy_accepted
  return {
    needsAcceptance: needsTermsAcceptance || needsPrivacyAcceptance,
    needsTermsAcceptance,
    needsPrivacyAcceptance,
    currentTermsVersion: row.terms,
    currentPrivacyVersion: row.privacy,
    userTermsVersion: row.terms_version,
    userPrivacyVersion: row.privacy_version,
    termsRequiresImmediate: row.terms_immediate,
    privacyRequiresImmediate: row.privacy_immediate,
    termsGracePeriodDays: row.terms_grace,
    privacyGracePeriodDays: row.privacy_grace
  }
})
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
