import { writeFile } from 'node:fs/promises'
import { statesPage } from '../src/signals/diagram.js'
import { statesPicture } from '../src/signals/picture.js'

await writeFile(new URL('../docs/signal-states.md', import.meta.url), statesPage())
await writeFile(new URL('../docs/signal-states.svg', import.meta.url), statesPicture())
