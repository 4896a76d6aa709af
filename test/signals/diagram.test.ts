import { readFile } from 'node:fs/promises'
import t from 'tap'
import { stateDiagram, statesPage } from '../../src/signals/diagram.js'
import { statesPicture } from '../../src/signals/picture.js'
import { actions, statuses } from '../../src/signals/workflow.js'

t.test('docs/signal-states.md is what the rules draw', async (t) => {
  t.equal(await readFile('docs/signal-states.md', 'utf8'), statesPage(), 'else run: node --import tsx dev/diagram.ts')
})

t.test('the diagram shows every status and its way in', async (t) => {
  const diagram = stateDiagram()
  for (const status of statuses) t.match(diagram, new RegExp(`--> ${status}:`))
})

t.test('docs/signal-states.svg is what the rules draw, with every status and every action', async (t) => {
  const picture = statesPicture()
  t.equal(await readFile('docs/signal-states.svg', 'utf8'), picture, 'else run: node --import tsx dev/diagram.ts')
  for (const name of [...statuses, ...actions]) t.match(picture, new RegExp(`[> ]${name}[< ]`), name)
})
