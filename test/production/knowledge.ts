import { isAllowed, type Move, type Status } from '../../src/signals/workflow.js'

/** Stands for something that exists when the request is sent: a position in the list of those known by then. */
export class Reference {
  constructor (readonly kind: string, readonly position: number) {}
}

/** How many things of a kind are known: few, so that requests meet in the same ones. */
const kept = 6

/** Enough for a thing of any place in the list, and for one that is ripe. */
export const positions = kept * 2

/** What is known of a thing: of a signal, a contact request or a document as much as says what may be done with it. */
interface Thing {
  readonly id: string
  readonly status?: string
  readonly isPublic?: boolean
  readonly publishedAt?: string | null
}

interface Learned extends Thing {
  readonly version?: string
  readonly signal?: Thing
  readonly contactRequest?: Thing
}

const moves: Readonly<Record<string, Move>> = {
  assignSignal: 'assign',
  publishSignal: 'publish',
  unpublishSignal: 'unpublish',
  archiveSignal: 'archive',
  unarchiveSignal: 'unarchive',
  acceptFromPool: 'pool_accept',
  acceptAssignment: 'accept',
  declineAssignment: 'decline',
  requestContact: 'request_contact'
}

/** What random requests have made so far, so that others find it, and some find it in the state that they need. */
export class Knowledge {
  readonly #things = new Map<string, Map<string, Thing>>()

  constructor (known: Readonly<Record<string, readonly string[]>>) {
    for (const [kind, ids] of Object.entries(known)) for (const id of ids) this.#remember(kind, { id })
  }

  /** The id that a reference stands for in a call of this operation. */
  find ({ kind, position }: Reference, operationId: string): string {
    const things = [...this.#things.get(kind)?.values() ?? []]
    const ripe = position % 2 === 0 ? things.filter(thing => isRipe(thing, operationId)) : []
    const list = ripe.length > 0 ? ripe : things
    return list[Math.floor(position / 2) % list.length]?.id ?? 'none'
  }

  /** Takes up what an operation that succeeded has made or changed. */
  learn (operationId: string, body: Learned): void {
    if (operationId === 'createSignal') this.#remember('signals', body)
    if (operationId === 'createDocument' || operationId === 'publishDocument') this.#remember('documents', body)
    if (operationId === 'publishDocument' && body.version !== undefined) this.#remember('versions', { id: body.version })
    if (body.signal !== undefined) this.#remember('signals', body.signal)
    if (body.contactRequest !== undefined) this.#remember('contact-requests', body.contactRequest)
  }

  #remember (kind: string, thing: Thing): void {
    const things = this.#things.get(kind) ?? new Map<string, Thing>()
    this.#things.set(kind, things.set(thing.id, thing))
    const [oldest] = things.keys()
    if (things.size > kept && oldest !== undefined) things.delete(oldest)
  }
}

function isRipe ({ status, isPublic = false, publishedAt }: Thing, operationId: string): boolean {
  const move = moves[operationId]
  if (move !== undefined) return status !== undefined && isAllowed(move, { status: status as Status, isPublic })
  if (/^(approve|reject)ContactRequest$/.test(operationId)) return status === 'pending'
  return /^(update|delete|publish)Document$/.test(operationId) && publishedAt === null
}
