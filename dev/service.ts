import { once } from 'node:events'

// The service as `npm run dev` runs it: it drains and ends also when the program that watches over it was killed.
const orphaned = once(process, 'disconnect')
process.channel?.unref()
await import('../src/server.js')
process.send?.('listening')
await orphaned
process.kill(process.pid, 'SIGTERM')
