/*
 * The signal workflow as data. Everything that needs to know a status, an action, who may do what and where it
 * leads is derived from `rules`: the API's enums, the answers' `allowedActions`, the lists in SQL, the state diagram
 * and the exhaustive tests. No I/O happens here.
 */

/** Every status of a signal, in the order of its life (contract: Signals). */
export const statuses = [
  'signal_unassigned',
  'signal_assigned',
  'accepted',
  'contact_request_pending',
  'contact_request_approved',
  'contact_request_rejected',
  'archived'
] as const
export type Status = typeof statuses[number]

/** The two kinds of actor; each rule belongs to exactly one. */
export const actorRoles = ['admin', 'startup'] as const
export type ActorRole = typeof actorRoles[number]

/** The older field beside `status`, null until a contact request exists. */
export const approvalStatuses = ['pending', 'approved', 'rejected'] as const
export type ApprovalStatus = typeof approvalStatuses[number]

/** How a startup came to a signal; a contact request names the same as its source. */
export const assignmentTypes = ['direct', 'pool'] as const
export type AssignmentType = typeof assignmentTypes[number]

/** Where one startup stands with one signal: `assigned` and `accepted` are open, the others are closed. */
export const assignmentStatuses = ['assigned', 'accepted', 'declined', 'superseded'] as const
export type AssignmentStatus = typeof assignmentStatuses[number]

/**
 * One row of the transition table. `from` null is a signal that does not exist yet. `isPublic` demands the flag to be
 * so before; `setsPublic` is the flag's value after. `to` is a status, or `prior` (the one that the archive remembers),
 * or `fallback`: from signal_assigned back to signal_unassigned when the signal is left neither public nor with an open
 * direct assignment, and no change otherwise.
 */
interface Rule {
  readonly actor: ActorRole
  readonly from: readonly (Status | null)[]
  readonly to: Status | 'prior' | 'fallback'
  readonly isPublic?: true
  readonly setsPublic?: boolean
}

const assignedOrLater = [
  'signal_assigned',
  'accepted',
  'contact_request_pending',
  'contact_request_approved',
  'contact_request_rejected'
] as const satisfies readonly Status[]
const live = ['signal_unassigned', ...assignedOrLater] as const

const rules = {
  create: { actor: 'admin', from: [null], to: 'signal_unassigned' },
  assign: { actor: 'admin', from: ['signal_unassigned'], to: 'signal_assigned' },
  publish: { actor: 'admin', from: ['signal_unassigned'], to: 'signal_assigned', setsPublic: true },
  unpublish: { actor: 'admin', from: assignedOrLater, to: 'fallback', isPublic: true, setsPublic: false },
  accept: { actor: 'startup', from: ['signal_assigned'], to: 'accepted' },
  pool_accept: { actor: 'startup', from: ['signal_assigned'], to: 'accepted', isPublic: true },
  decline: { actor: 'startup', from: ['signal_assigned'], to: 'fallback' },
  request_contact: { actor: 'startup', from: ['accepted', 'contact_request_rejected'], to: 'contact_request_pending' },
  approve_contact: { actor: 'admin', from: ['contact_request_pending'], to: 'contact_request_approved' },
  reject_contact: { actor: 'admin', from: ['contact_request_pending'], to: 'contact_request_rejected' },
  archive: { actor: 'admin', from: live, to: 'archived' },
  unarchive: { actor: 'admin', from: ['archived'], to: 'prior' }
} as const satisfies Record<string, Rule>

export type Action = keyof typeof rules
/** An action on a signal that exists. */
export type Move = Exclude<Action, 'create'>

/** Every action, and every one that an existing signal can undergo. */
export const actions = Object.keys(rules) as Action[]
export const moves = actions.filter((action): action is Move => action !== 'create')

/** The part of a signal that decides what may happen to it; `priorStatus` is non-null exactly while archived. */
export interface SignalState {
  status: Status
  priorStatus: Status | null
  isPublic: boolean
}

/** A refused transition: the message and the two facts that the 409 body adds (contract: Invalid transition). */
export class IllegalMove extends Error {
  override readonly name = 'IllegalMove'
  readonly currentStatus: Status
  readonly allowedActions: Move[]

  constructor (move: Move, signal: Pick<SignalState, 'status' | 'isPublic'>) {
    super(`Cannot ${move} a signal in status '${signal.status}'`)
    this.currentStatus = signal.status
    this.allowedActions = allowedActions(signal)
  }
}

/** The kind of actor that an action belongs to. */
export function actorOf (action: Action): ActorRole {
  return rules[action].actor
}

/** The statuses that a move may start from: for guards in SQL, `where status in (...)`. */
export function statusesBefore (move: Move): readonly Status[] {
  return rules[move].from
}

/** Tells whether status and flag permit the move, whoever asks. */
export function isAllowed (move: Move, signal: Pick<SignalState, 'status' | 'isPublic'>): boolean {
  const rule: Rule = rules[move]
  return rule.from.includes(signal.status) && (rule.isPublic === undefined || signal.isPublic)
}

/** What the signal's status and flag permit, whoever asks, in the order of the rules. */
export function allowedActions (signal: Pick<SignalState, 'status' | 'isPublic'>): Move[] {
  return moves.filter(move => isAllowed(move, signal))
}

/**
 * Decides a move: the state after it. `openDirect` is the number of direct assignments still `assigned` or `accepted`
 * once the move is done. Throws IllegalMove when the map has no such row.
 */
export function decide (move: Move, signal: SignalState, openDirect: number): SignalState {
  if (!isAllowed(move, signal)) throw new IllegalMove(move, signal)
  const rule: Rule = rules[move]
  const isPublic = rule.setsPublic ?? signal.isPublic
  return { status: target(rule, signal, isPublic, openDirect), priorStatus: move === 'archive' ? signal.status : null, isPublic }
}

function target (rule: Rule, signal: SignalState, isPublic: boolean, openDirect: number): Status {
  if (rule.to === 'fallback') {
    return signal.status === 'signal_assigned' && !isPublic && openDirect === 0 ? 'signal_unassigned' : signal.status
  }
  if (rule.to === 'prior') {
    if (signal.priorStatus === null) throw new Error('An archived signal remembers no status')
    return signal.priorStatus
  }
  return rule.to
}

/** One edge of the state graph; `from` null is the creation. */
export interface Transition {
  action: Action
  from: Status | null
  to: Status
}

/** Every edge that the rules allow, an edge that keeps the status included: the database's list must equal it. */
export function transitions (): Transition[] {
  return actions.flatMap(action => {
    const rule: Rule = rules[action]
    return rule.from.flatMap((from) => targets(rule, from).map(to => ({ action, from, to })))
  })
}

function targets (rule: Rule, from: Status | null): Status[] {
  if (rule.to === 'prior') return [...live]
  if (rule.to !== 'fallback') return [rule.to]
  if (from === 'signal_assigned') return ['signal_assigned', 'signal_unassigned']
  return from === null ? [] : [from]
}

/** The older approval field that goes with a status; for an archived signal ask with its prior status. */
export function approvalStatusOf (status: Status): ApprovalStatus | null {
  return status.startsWith('contact_request_') ? status.slice('contact_request_'.length) as ApprovalStatus : null
}
