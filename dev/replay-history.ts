import { isDeepStrictEqual } from 'node:util'
import { HttpCaller } from './replay-http.js'

/** One published version of a document, in the order of publishing. */
export interface HistoryEntry {
  readonly type: 'terms' | 'privacy'
  readonly version: string
  readonly title: string
  readonly content: string
  /** When it took effect; the time of the replay when unknown. */
  readonly committedAt?: string
}

export interface ReplayOptions {
  /** Address of the service, with its BASE_PATH. */
  readonly url: string
  readonly adminToken: string
  /** Of different users, who accept and ask between the publishes. */
  readonly userTokens: readonly string[]
  readonly history: readonly HistoryEntry[]
}

/** What was done, and every difference between what the service says and what was done to it. */
export interface Replayed {
  readonly published: number
  readonly accepted: number
  readonly statuses: number
  readonly requests: number
  /** UTF-8 bytes of text, each compared in four answers. */
  readonly textBytes: number
  readonly seconds: number
  readonly differences: readonly string[]
}

interface Document { readonly id: string, readonly entry: HistoryEntry, readonly publishedAt: string, readonly acceptances: Acceptance[] }
interface Acceptance { readonly id: string, readonly userId: string, readonly documentId: string, readonly version: string, readonly acceptedAt: string }
interface Page<T> { readonly total: number, readonly acceptances: T[], readonly versions: T[] }
type Fields = Record<string, unknown>

const types = ['terms', 'privacy'] as const
const names = { terms: 'Terms', privacy: 'Privacy' } as const
const pageSize = 500

/**
 * Creates and publishes a history of documents through a running service while users accept and ask for their status,
 * then compares active documents, archive, analytics, log, histories and every text with what was done. Rejects when
 * the service refuses a step; differences are collected.
 */
export async function replay (options: ReplayOptions): Promise<Replayed> {
  return await new Replay(options).run(options.history)
}

class Replay {
  readonly #admin: HttpCaller
  readonly #anybody: HttpCaller
  readonly #users: HttpCaller[]
  readonly #differences: string[] = []
  readonly #documents: Document[] = []
  /** By user, the version of each type that it accepted last, as the service said it. */
  readonly #last: Array<Record<'terms' | 'privacy', string | null>> = []
  readonly #active = new Map<string, Document>()
  #accepted = 0
  #statuses = 0

  constructor ({ url, adminToken, userTokens }: ReplayOptions) {
    this.#admin = new HttpCaller(url, adminToken)
    this.#anybody = new HttpCaller(url)
    this.#users = userTokens.map(token => new HttpCaller(url, token))
  }

  async run (history: readonly HistoryEntry[]): Promise<Replayed> {
    const started = performance.now()
    const existing = await this.#admin.get<Fields[]>('/legal/admin/documents')
    const taken = history.filter(entry => existing.some(({ type, version }) => type === entry.type && version === entry.version))
    if (taken.length > 0) throw new Error(`The service has ${taken.length} of these documents already: replay into one that has none`)
    for (const type of types) {
      if (existing.some(document => document['type'] === type && document['isActive'] === true)) throw new Error(`The service has active ${type}: replay into one that has none`)
    }
    const logged = (await this.#admin.get<Page<Acceptance>>('/legal/admin/acceptances?limit=1')).total
    for (const user of this.#users) {
      const { userTermsVersion, userPrivacyVersion } = await user.get<{ userTermsVersion: string | null, userPrivacyVersion: string | null }>('/legal/status')
      this.#last.push({ terms: userTermsVersion, privacy: userPrivacyVersion })
    }

    for (const [index, entry] of history.entries()) await this.#publish(index, entry)
    await this.#checkActive()
    await this.#checkArchive()
    for (const document of this.#documents) await this.#checkDocument(document)
    await this.#checkLog(logged)
    for (const user of this.#users) await this.#checkOwn(user)

    return {
      published: this.#documents.length,
      accepted: this.#accepted,
      statuses: this.#statuses,
      requests: [this.#admin, this.#anybody, ...this.#users].reduce((sum, { requests }) => sum + requests, 0),
      textBytes: history.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
      seconds: (performance.now() - started) / 1000,
      differences: this.#differences
    }
  }

  /** One version's turn: it is drafted and published, about half of the users accept it, and all ask for their status. */
  async #publish (index: number, entry: HistoryEntry): Promise<void> {
    const { type, version, title, content, committedAt } = entry
    const settings = { requiresImmediate: index % 2 === 0, gracePeriodDays: index % 31 }
    const effectiveDate = new Date(committedAt ?? Date.now()).toISOString()
    const draft = await this.#admin.post<Fields>('/legal/admin/documents', { type, version, title, content, effectiveDate }, 201)
    const place = `${type} ${version}`
    this.#compare(`draft of ${place}`, pick(draft, { type, version, title, content, effectiveDate, publishedAt: null, isActive: false }))
    const published = await this.#admin.post<Fields & { id: string, publishedAt: string }>(`/legal/admin/documents/${String(draft['id'])}/publish`, settings, 200)
    this.#compare(`publish of ${place}`, pick(published, { type, version, title, content, effectiveDate, isActive: true, ...settings }))
    const document: Document = { id: published.id, entry, publishedAt: published.publishedAt, acceptances: [] }
    const before = this.#active.get(type)
    if (before !== undefined && before.publishedAt >= document.publishedAt) this.#differ(`publish of ${place}: not later than the one before`)
    this.#active.set(type, document)
    this.#documents.push(document)

    for (const [number, user] of this.#users.entries()) {
      if ((index + number) % 2 === 0) await this.#accept(user, number, document, before)
    }
    for (const number of this.#users.keys()) await this.#askStatus(number)
  }

  async #accept (user: HttpCaller, number: number, document: Document, before: Document | undefined): Promise<void> {
    const { type, version } = document.entry
    const body = { type, ipAddress: '192.0.2.1', userAgent: `replay ${number}` }
    if (before !== undefined) await user.post('/legal/accept', { ...body, documentId: before.id }, 409)
    const acceptance = await user.post<Acceptance & Fields>('/legal/accept', { ...body, documentId: document.id }, 201)
    this.#compare(`acceptance of ${type} ${version}`, pick(acceptance, { documentId: document.id, version, ipAddress: body.ipAddress, userAgent: body.userAgent }))
    this.#compare(`repeated acceptance of ${type} ${version}`, [await user.post('/legal/accept', { type }, 200), acceptance])
    document.acceptances.push(acceptance)
    const last = this.#last[number]
    if (last !== undefined) last[type] = version
    this.#accepted++
  }

  async #askStatus (number: number): Promise<void> {
    const status = await (this.#users[number] as HttpCaller).get<Fields>('/legal/status')
    const expected: Fields = {}
    for (const type of types) {
      const active = this.#active.get(type)
      const accepted = this.#last[number]?.[type] ?? null
      expected[`needs${names[type]}Acceptance`] = active !== undefined && accepted !== active.entry.version
      expected[`current${names[type]}Version`] = active?.entry.version ?? null
      expected[`user${names[type]}Version`] = accepted
    }
    expected['needsAcceptance'] = expected['needsTermsAcceptance'] === true || expected['needsPrivacyAcceptance'] === true
    this.#compare(`status of user ${number}`, pick(status, expected))
    this.#statuses++
  }

  async #checkActive (): Promise<void> {
    for (const [type, { id, entry }] of this.#active) {
      const current = await this.#anybody.get<Fields>(`/legal/current/${type}`)
      this.#compare(`active ${type}`, pick(current, { id, version: entry.version, title: entry.title, content: entry.content, isActive: true }))
    }
  }

  async #checkArchive (): Promise<void> {
    for (const type of types) {
      const expected = this.#documents.filter(({ entry }) => entry.type === type).reverse()
      const found: Fields[] = []
      for (let total = 1; found.length < total;) {
        const page = await this.#anybody.get<Page<Fields>>(`/legal/versions/${type}?limit=${pageSize}&offset=${found.length}`)
        total = page.total
        if (page.versions.length === 0) break
        found.push(...page.versions)
      }
      const replayed = found.filter(({ id }) => expected.some(document => document.id === id))
      this.#compare(`archive of ${type}`, [
        replayed.map(({ id, version, isActive }) => ({ id, version, isActive })),
        expected.map((document, index) => ({ id: document.id, version: document.entry.version, isActive: index === 0 }))
      ])
    }
  }

  async #checkDocument ({ id, entry, acceptances }: Document): Promise<void> {
    const { type, version, title, content } = entry
    const place = `${type} ${version}`
    const archived = await this.#anybody.get<Fields>(`/legal/versions/${type}/${version}`)
    this.#compare(`old version ${place}`, pick(archived, { id, title, content }))
    const detail = await this.#admin.get<Fields & { acceptances: Acceptance[] }>(`/legal/admin/documents/${id}`)
    this.#compare(`detail of ${place}`, pick(detail, { title, content, acceptanceCount: acceptances.length, acceptances: newestFirst(acceptances) }))
    const analytics = await this.#admin.get<Fields & { totalUsers: number }>(`/legal/admin/documents/${id}/analytics`)
    const rate = Math.round(10_000 * acceptances.length / analytics.totalUsers) / 100
    this.#compare(`analytics of ${place}`, pick(analytics, { totalAcceptances: acceptances.length, acceptanceRate: rate, isActive: this.#active.get(type)?.id === id }))
  }

  async #checkLog (loggedBefore: number): Promise<void> {
    const log = await readAll(this.#admin, '/legal/admin/acceptances')
    const expected = newestFirst(this.#documents.flatMap(({ acceptances }) => acceptances))
    this.#compare('length of the log', [log.length, loggedBefore + expected.length])
    const ours = new Set(expected.map(({ id }) => id))
    this.#compare('log', [log.map(({ id }) => id).filter(id => ours.has(id)), expected.map(({ id }) => id)])
  }

  async #checkOwn (user: HttpCaller): Promise<void> {
    const own = await readAll(user, '/legal/acceptances')
    const userId = own[0]?.userId
    const expected = newestFirst(this.#documents.flatMap(({ acceptances }) => acceptances).filter(acceptance => acceptance.userId === userId))
    const ours = new Set(expected.map(({ id }) => id))
    this.#compare(`history of ${String(userId)}`, [own.map(({ id }) => id).filter(id => ours.has(id)), expected.map(({ id }) => id)])
  }

  #compare (what: string, [actual, expected]: readonly [unknown, unknown]): void {
    if (!isDeepStrictEqual(actual, expected)) this.#differ(`${what}: ${brief(actual)} instead of ${brief(expected)}`)
  }

  #differ (difference: string): void {
    this.#differences.push(difference)
  }
}

/** The expected fields as they are, beside how they should be. */
function pick (actual: Fields, expected: Fields): [Fields, Fields] {
  return [Object.fromEntries(Object.keys(expected).map(key => [key, actual[key]])), expected]
}

function newestFirst (acceptances: readonly Acceptance[]): Acceptance[] {
  const key = ({ acceptedAt, id }: Acceptance) => `${acceptedAt} ${id}`
  return [...acceptances].sort((a, b) => key(a) < key(b) ? 1 : -1)
}

async function readAll (caller: HttpCaller, path: string): Promise<Acceptance[]> {
  const found: Acceptance[] = []
  for (;;) {
    const { acceptances, total } = await caller.get<Page<Acceptance>>(`${path}?limit=${pageSize}&offset=${found.length}`)
    found.push(...acceptances)
    if (acceptances.length === 0 || found.length >= total) return found
  }
}

function brief (value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
