import t from 'tap'
import {
  actions, actorOf, allowedActions, approvalStatusOf, decide, isAllowed, moves, statuses, statusesBefore,
  transitions, type ActorRole, type Move, type SignalState, type Status
} from '../../src/signals/workflow.js'

interface Row {
  row: string
  move: Move
  actor: ActorRole
  from: readonly Status[]
  to: Status | 'same' | 'prior'
  isPublic?: boolean
  isPublicAfter?: boolean
  openDirect?: number
}

const working: Status[] = [
  'signal_assigned', 'accepted', 'contact_request_pending', 'contact_request_approved', 'contact_request_rejected'
]
const living: Status[] = ['signal_unassigned', ...working]

/* Written by hand from the specification and the contract, not from the rules: this is what they are held against. */
const table: Row[] = [
  { row: 'signal_unassigned | admin assign', move: 'assign', actor: 'admin', from: ['signal_unassigned'], to: 'signal_assigned' },
  { row: 'signal_unassigned | admin publish to pool', move: 'publish', actor: 'admin', from: ['signal_unassigned'], to: 'signal_assigned', isPublicAfter: true },
  { row: 'signal_assigned | startup accept (direct assignment)', move: 'accept', actor: 'startup', from: ['signal_assigned'], to: 'accepted' },
  { row: 'signal_assigned | startup accept from pool', move: 'pool_accept', actor: 'startup', from: ['signal_assigned'], to: 'accepted', isPublic: true },
  { row: 'accepted | startup request contact', move: 'request_contact', actor: 'startup', from: ['accepted'], to: 'contact_request_pending' },
  { row: 'after a rejection the same startup may request again', move: 'request_contact', actor: 'startup', from: ['contact_request_rejected'], to: 'contact_request_pending' },
  { row: 'contact_request_pending | admin approve', move: 'approve_contact', actor: 'admin', from: ['contact_request_pending'], to: 'contact_request_approved' },
  { row: 'contact_request_pending | admin reject', move: 'reject_contact', actor: 'admin', from: ['contact_request_pending'], to: 'contact_request_rejected' },
  { row: 'any | admin archive', move: 'archive', actor: 'admin', from: living, to: 'archived' },
  { row: 'unarchive restores exactly the prior status', move: 'unarchive', actor: 'admin', from: ['archived'], to: 'prior' },
  { row: 'unpublish without an open direct assignment falls back', move: 'unpublish', actor: 'admin', from: ['signal_assigned'], to: 'signal_unassigned', isPublic: true, isPublicAfter: false, openDirect: 0 },
  { row: 'unpublish with an open direct assignment stays', move: 'unpublish', actor: 'admin', from: ['signal_assigned'], to: 'same', isPublic: true, isPublicAfter: false, openDirect: 1 },
  { row: 'unpublish of a later status stays', move: 'unpublish', actor: 'admin', from: working.slice(1), to: 'same', isPublic: true, isPublicAfter: false, openDirect: 0 },
  { row: 'decline of the last open direct assignment falls back', move: 'decline', actor: 'startup', from: ['signal_assigned'], to: 'signal_unassigned', isPublic: false, openDirect: 0 },
  { row: 'decline with others open stays', move: 'decline', actor: 'startup', from: ['signal_assigned'], to: 'same', isPublic: false, openDirect: 2 },
  { row: 'decline of a public signal stays', move: 'decline', actor: 'startup', from: ['signal_assigned'], to: 'same', isPublic: true, openDirect: 0 }
]

function state (status: Status, isPublic: boolean): SignalState {
  return { status, priorStatus: status === 'archived' ? 'accepted' : null, isPublic }
}

t.test('each row of the transition table', async (t) => {
  for (const row of table) {
    t.test(row.row, async (t) => {
      t.equal(actorOf(row.move), row.actor)
      for (const from of row.from) {
        for (const isPublic of row.isPublic === undefined ? [false, true] : [row.isPublic]) {
          for (const openDirect of row.openDirect === undefined ? [0, 1] : [row.openDirect]) {
            const before = state(from, isPublic)
            const to = row.to === 'same' ? from : row.to === 'prior' ? before.priorStatus : row.to
            t.strictSame(decide(row.move, before, openDirect), {
              status: to,
              priorStatus: to === 'archived' ? from : null,
              isPublic: row.isPublicAfter ?? isPublic
            }, `${row.move} from ${from}, ${isPublic ? 'public' : 'not public'}, ${openDirect} open`)
          }
        }
      }
    })
  }
})

t.test('every status x action x flag: what is not in the table is refused', async (t) => {
  for (const status of statuses) {
    for (const isPublic of [false, true]) {
      const signal = state(status, isPublic)
      const expected = moves.filter(move => table.some(row =>
        row.move === move && row.from.includes(status) && (row.isPublic ?? isPublic) === isPublic))
      t.strictSame(allowedActions(signal), expected, `${status}, ${isPublic ? 'public' : 'not public'}`)
      for (const move of moves) {
        t.equal(isAllowed(move, signal), expected.includes(move))
        if (expected.includes(move)) continue
        t.throws(() => decide(move, signal, 0), {
          message: `Cannot ${move} a signal in status '${status}'`,
          currentStatus: status,
          allowedActions: expected
        })
      }
    }
  }
})

t.test('every action x role: exactly one role may', async (t) => {
  const admin = ['create', 'assign', 'publish', 'unpublish', 'approve_contact', 'reject_contact', 'archive', 'unarchive']
  const startup = ['accept', 'pool_accept', 'decline', 'request_contact']
  for (const action of actions) {
    t.equal(actorOf(action) === 'admin', admin.includes(action), `${action} by an admin`)
    t.equal(actorOf(action) === 'startup', startup.includes(action), `${action} by a startup`)
  }
  t.equal(actions.length, admin.length + startup.length)
})

t.test('every status is reached from the creation, and none is a dead end', async (t) => {
  const edges = transitions()
  const reached = new Set<Status>()
  for (let grown = true; grown;) {
    const before = reached.size
    for (const { from, to } of edges) if (from === null || reached.has(from)) reached.add(to)
    grown = reached.size > before
  }
  t.strictSame([...reached].sort(), [...statuses].sort())
  for (const status of statuses) t.ok(edges.some(({ from, to }) => from === status && to !== status), status)
})

t.test('whatever is decided is an edge of the graph, and every edge can be decided', async (t) => {
  const seen = new Set<string>(['create null signal_unassigned'])
  for (const move of moves) {
    for (const from of statusesBefore(move)) {
      for (const priorStatus of from === 'archived' ? living : [null]) {
        for (const isPublic of [false, true]) {
          for (const openDirect of [0, 1]) {
            const signal = { status: from, priorStatus, isPublic }
            if (isAllowed(move, signal)) seen.add(`${move} ${from} ${decide(move, signal, openDirect).status}`)
          }
        }
      }
    }
  }
  t.strictSame([...seen].sort(), transitions().map(({ action, from, to }) => `${action} ${from} ${to}`).sort())
})

t.test('an archived signal without a prior status is a defect, not a refusal', async (t) => {
  t.throws(() => decide('unarchive', { status: 'archived', priorStatus: null, isPublic: false }, 0), /remembers no status/)
})

t.test('the older approval status goes with the status', async (t) => {
  t.strictSame(statuses.map(approvalStatusOf), [null, null, null, 'pending', 'approved', 'rejected', null])
})
