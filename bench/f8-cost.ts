import { knownUsers, makeKeys, secret } from './callers.js'
import { describe, flooding, warmUp } from './flooding.js'
import type { Recipe } from './load/recipe.js'
import { type Context, type Measure, ratioRow, type Row } from './measure.js'
import { compare } from './rounds.js'

const connections = 64
const users = 2000
/** More than the service remembers, so that in turn each is new to it. */
const newTokens = 20_000

/** F8: what logging costs, what a warm token costs, and what tokens cost that were never seen. */
export const cost: Measure = {
  id: 'F8',
  title: 'The cost of logging and of tokens',
  async run (context) {
    return [...await logging(context), await warmToken(context), await newToken(context)]
  }
}

async function logging (context: Context): Promise<Row[]> {
  const database = await context.database(1e4)
  const on = await context.service(database, { env: { LOG_LEVEL: 'info' } })
  const off = await context.service(database, { env: { LOG_LEVEL: 'silent' } })
  const rows = []
  for (const [name, recipe] of [
    ['GET current', { paths: ['/legal/current/terms'] }],
    ['GET status', { paths: ['/legal/status'], callers: knownUsers(1e4, users) }]
  ] as const) {
    const options = { recipe, connections }
    const ours = flooding(context, on, options)
    const yardstick = flooding(context, off, options)
    await warmUp(context, on, options)
    await warmUp(context, off, options)
    const found = await compare(context.rounds, ours.capacity, yardstick.capacity)
    rows.push(ratioRow('F8', `${name}, logging on : off`, { at: 'least', value: 0.9 }, found, describe(ours, yardstick)))
  }
  await on.stop()
  await off.stop()
  return rows
}

/** Two routes that answer the same, one behind the service's own token check; the requests differ in their path only. */
async function warmToken (context: Context): Promise<Row> {
  const server = await context.yardstick('scopes', { JWT_SECRET: secret })
  const callers = knownUsers(1e4, users)
  const options = (path: string) => ({ recipe: { paths: [path], callers }, connections })
  const ours = flooding(context, server, options('/authenticated'))
  const yardstick = flooding(context, server, options('/anonymous-all'))
  await warmUp(context, server, options('/authenticated'))
  await warmUp(context, server, options('/anonymous-all'))
  const found = await compare(context.rounds, ours.capacity, yardstick.capacity)
  await server.stop()
  return ratioRow('F8', 'authenticated route, warm tokens : public route', { at: 'least', value: 0.95 }, found, describe(ours, yardstick))
}

async function newToken (context: Context): Promise<Row> {
  const { publicKey, privateKey } = makeKeys()
  const service = await context.service(await context.database(1e4), { env: { JWT_SECRET: '', JWT_PUBLIC_KEY: publicKey } })
  const recipe = (count: number): Recipe => ({
    paths: ['/legal/status'],
    callers: { ...knownUsers(1e4, Math.min(count, 1e4)), count, signer: { alg: 'RS256', privateKey } }
  })
  const fresh = { recipe: recipe(newTokens), connections }
  const warm = { recipe: recipe(users), connections }
  const ours = flooding(context, service, fresh)
  const yardstick = flooding(context, service, warm)
  await warmUp(context, service, fresh)
  await warmUp(context, service, warm)
  const found = await compare(context.rounds, ours.capacity, yardstick.capacity)
  await service.stop()
  return ratioRow('F8', 'GET status, a new RS256 token each time : warm tokens', { at: 'least', value: 0.6 }, found, describe(ours, yardstick))
}
