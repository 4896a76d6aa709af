import { transitions, type Action, type Status } from './workflow.js'

/**
 * The state graph as Mermaid text, derived from the rules: one arrow per pair of statuses, labelled with the actions
 * that lead there. Arrows that keep the status are left out, they would hide the way.
 */
export function stateDiagram (): string {
  const arrows = new Map<string, Action[]>()
  for (const { action, from, to } of transitions()) {
    if (from === to) continue
    const arrow = `${node(from)} --> ${to}`
    arrows.set(arrow, [...arrows.get(arrow) ?? [], action])
  }
  const lines = [...arrows].map(([arrow, labels]) => `    ${arrow}: ${labels.join(' / ')}`)
  return ['stateDiagram-v2', ...lines].join('\n')
}

function node (status: Status | null): string {
  return status ?? '[*]'
}

/** The page docs/signal-states.md: the diagram between its words. */
export function statesPage (): string {
  return [
    '# The states of a signal',
    '',
    'Drawn from the rules in `src/signals/workflow.ts` by `node --import tsx dev/diagram.ts`; a test keeps it current.',
    '',
    '![The states of a signal](signal-states.svg)',
    '',
    'The same with every arrow of the archive:',
    '',
    '```mermaid',
    stateDiagram(),
    '```',
    '',
    '- `unpublish` and `decline` lead back to `signal_unassigned` only when the signal is left neither in the pool nor',
    '  with an open direct assignment; otherwise the status stays, and the history still has a row for it.',
    '- `pool_accept` and `unpublish` need a signal in the pool.',
    '- `archive` remembers the status it came from; `unarchive` restores exactly that one.',
    '- After a rejection the startup that accepted may request contact again.',
    ''
  ].join('\n')
}
