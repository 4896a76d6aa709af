import { writeFile } from 'node:fs/promises'
import { statesPage } from '../src/signals/diagram.js'

await writeFile(new URL('../docs/signal-states.md', import.meta.url), statesPage())
