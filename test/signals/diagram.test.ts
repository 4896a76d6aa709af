import { readFile } from 'node:fs/promises'
import t from 'tap'
import { stateDiagram, statesPage } from '../../src/signals/diagram.js'
import { statuses } from '../../src/signals/workflow.js'

t.test('docs/signal-states.md is what the rules draw', async (t) => {
  t.equal(await readFile('docs/signal-states.md', 'utf8'), statesPage(), 'else run: node --import tsx dev/diagram.ts')
})

t.test('the diagram shows every status and its way in', async (t) => {
  const diagram = stateDiagram()
  for (const status of statuses) t.match(diagram, new RegExp(`--> ${status}:`))
})
