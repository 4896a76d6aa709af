import { run } from './generator.js'
import type { Order } from './recipe.js'

// The load generator as a process of its own, so that it can be pinned to a core away from the server.
process.on('message', (order: Order) => {
  run(order).then(
    report => process.send?.({ report }),
    error => process.send?.({ error: String(error) })
  )
})
process.on('disconnect', () => { process.exit() })
