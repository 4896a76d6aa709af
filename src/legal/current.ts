import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../database/schema.js'
import { type ReadyAnswer, readyAnswer } from '../kernel/ready.js'
import { withoutNullPublisher } from './documents.js'
import type { DocumentType, LegalDocument } from './schemas.js'

/** The active document as it goes out: with a strong ETag over its JSON, and as the 304 for who has that already. */
export interface CurrentDocument {
  readonly etag: string
  readonly whole: ReadyAnswer
  readonly notModified: ReadyAnswer
}

interface Snapshot {
  readonly version: number
  readonly documents: ReadonlyMap<DocumentType, CurrentDocument>
  /** On the clock of `performance.now()`. */
  trustedUntil: number
}

/** A snapshot is believed for this long after the database last confirmed it: the bound of staleness. */
const trustMs = 2000
const pollMs = 1000
const reconnectMs = 1000

export interface CacheOptions {
  readonly db: Kysely<Database>
  readonly databaseUrl: string
  onTrouble (error: unknown): void
}

/**
 * The active documents as ready-made bytes. A publish by any instance is heard through NOTIFY at once; polling the
 * publish counter every second covers a listener that is lost or deaf, as behind a transaction pooler. What the database
 * has not confirmed for two seconds is read from it again. Only the public route uses it: accepting never does.
 */
export class CurrentDocuments {
  readonly #options: CacheOptions
  #snapshot: Snapshot | undefined
  #loading: Promise<Snapshot> | undefined
  readonly #stopped = new AbortController()
  #background: Promise<unknown> = Promise.resolve()

  constructor (options: CacheOptions) {
    this.#options = options
  }

  /** The active document of a type, or undefined; a promise, which may be rejected, only when it must be read. */
  find (type: DocumentType): CurrentDocument | undefined | Promise<CurrentDocument | undefined> {
    const snapshot = this.#snapshot
    if (snapshot !== undefined && performance.now() < snapshot.trustedUntil) return snapshot.documents.get(type)
    return this.#load().then(({ documents }) => documents.get(type))
  }

  /** Forgets everything, loads under way included: what is found from now on is read from now on. */
  invalidate (): void {
    this.#snapshot = undefined
    this.#loading = undefined
  }

  /** Begins to listen and to poll, until `stop`. */
  start (): void {
    this.#background = Promise.all([this.#listen(), this.#poll()])
  }

  async stop (): Promise<void> {
    this.#stopped.abort()
    await this.#background
  }

  #load (): Promise<Snapshot> {
    if (this.#loading === undefined) {
      const loading = loadSnapshot(this.#options.db).then(snapshot => {
        if (this.#loading === loading) this.#snapshot = snapshot
        return snapshot
      }).finally(() => {
        if (this.#loading === loading) this.#loading = undefined
      })
      this.#loading = loading
    }
    return this.#loading
  }

  async #poll (): Promise<void> {
    while (await this.#pause(pollMs)) {
      try {
        const snapshot = this.#snapshot
        if (snapshot === undefined) continue
        const startedAt = performance.now()
        const version = await readVersion(this.#options.db)
        if (snapshot !== this.#snapshot) continue
        if (version === snapshot.version) snapshot.trustedUntil = startedAt + trustMs
        else this.invalidate()
      } catch {
        // Requests meet the same trouble, report it, and read anew once the trust has run out.
      }
    }
  }

  async #listen (): Promise<void> {
    do {
      const client = new pg.Client({
        connectionString: this.#options.databaseUrl,
        keepAlive: true,
        connectionTimeoutMillis: 3000,
        // A frozen server must not hold up `stop`.
        query_timeout: 3000,
        application_name: 'legal-signals listen'
      })
      let end = () => {}
      const ended = new Promise<void>(resolve => { end = resolve })
      client.on('error', end)
      client.on('end', end)
      client.on('notification', () => this.invalidate())
      this.#stopped.signal.addEventListener('abort', end)
      try {
        await client.connect()
        await client.query('listen legal_documents')
        // What was published before the listener stood went unheard.
        this.invalidate()
        if (!this.#stopped.signal.aborted) await ended
      } catch (error) {
        this.#options.onTrouble(error)
      }
      this.#stopped.signal.removeEventListener('abort', end)
      this.invalidate()
      client.end().catch(() => {})
    } while (await this.#pause(reconnectMs))
  }

  /** False when it was interrupted by `stop`. */
  async #pause (milliseconds: number): Promise<boolean> {
    try {
      await sleep(milliseconds, undefined, { signal: this.#stopped.signal, ref: false })
      return true
    } catch {
      return false
    }
  }
}

async function readVersion (db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from legal_publish_state`.execute(db)
  return rows[0]?.version ?? 0
}

/** Both active documents and the counter that they belong to, from one statement and so of one moment. */
async function loadSnapshot (db: Kysely<Database>): Promise<Snapshot> {
  const trustedUntil = performance.now() + trustMs
  const { rows } = await sql<Omit<LegalDocument, 'publishedBy'> & { publishedBy: string | null, stateVersion: number }>`
    select s.version as "stateVersion", d.id, d.type, d.version, d.title, d.content,
      d.effective_date as "effectiveDate", d.published_at as "publishedAt", d.published_by as "publishedBy",
      d.is_active as "isActive", d.requires_immediate as "requiresImmediate", d.grace_period_days as "gracePeriodDays",
      d.created_at as "createdAt", d.updated_at as "updatedAt"
    from legal_publish_state s left join legal_documents d on d.is_active
  `.execute(db)
  const documents = new Map<DocumentType, CurrentDocument>()
  for (const { stateVersion: _version, ...row } of rows) {
    if (row.id === null) continue
    documents.set(row.type, makeReady(Buffer.from(JSON.stringify(withoutNullPublisher(row)))))
  }
  return { version: rows[0]?.stateVersion ?? 0, documents, trustedUntil }
}

function makeReady (body: Buffer): CurrentDocument {
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  const headers = { 'cache-control': 'no-cache', etag }
  return {
    etag,
    whole: readyAnswer(200, { 'content-type': 'application/json; charset=utf-8', ...headers }, body),
    notModified: readyAnswer(304, headers)
  }
}
