import { knownUsers, secret } from './callers.js'
import { describe, flooding, warmUp } from './flooding.js'
import { type Measure, ratioRow } from './measure.js'
import { compare } from './rounds.js'

const connections = 64
const users = 2000

/** F2: the caller's status against bare Fastify, a token check that remembers, and one named statement. */
export const status: Measure = {
  id: 'F2',
  title: 'GET status against bare Fastify, cached token check, one named statement',
  async run (context) {
    const database = await context.database(context.scale)
    const service = await context.service(database)
    const bare = await context.yardstick('statement', { DATABASE_URL: database, JWT_SECRET: secret })
    const options = { recipe: { paths: ['/legal/status'], callers: knownUsers(context.scale, users) }, connections }
    const ours = flooding(context, service, options)
    const yardstick = flooding(context, bare, options)
    await warmUp(context, service, options)
    await warmUp(context, bare, options)
    const found = await compare(context.rounds, ours.capacity, yardstick.capacity)
    await bare.stop()
    await service.stop()
    return [ratioRow('F2', 'GET status : bare Fastify, cached token, one named statement', { at: 'least', value: 0.9 }, found,
      describe(ours, yardstick))]
  }
}
