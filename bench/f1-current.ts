import { describe, flooding, warmUp } from './flooding.js'
import { type Measure, ratioRow } from './measure.js'
import type { Served } from './process.js'
import { compare } from './rounds.js'

const path = '/legal/current/terms'
const connections = 64

/** F1: the active document, as shipped, against bare Fastify that sends the same bytes and headers. */
export const current: Measure = {
  id: 'F1',
  title: 'GET current against bare Fastify sending the same bytes',
  async run (context) {
    const service = await context.service(await context.database(1e4))
    const bare = await context.yardstick('bare', await copyAnswer(service))
    const options = { recipe: { paths: [path] }, connections }
    const ours = flooding(context, service, options)
    const yardstick = flooding(context, bare, options)
    await warmUp(context, service, options)
    await warmUp(context, bare, options)
    const found = await compare(context.rounds, ours.capacity, yardstick.capacity)
    await bare.stop()
    await service.stop()
    return [ratioRow('F1', 'GET current : bare Fastify, same bytes', { at: 'least', value: 0.9 }, found, describe(ours, yardstick))]
  }
}

/** The service's own answer for the yardstick to repeat, without what Node adds by itself. */
async function copyAnswer ({ port }: Served): Promise<{ BODY: string, HEADERS: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  if (response.status !== 200) throw new Error(`GET ${path} answers ${response.status}`)
  const own = ['date', 'connection', 'keep-alive', 'content-length']
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)))
  return { BODY: Buffer.from(await response.arrayBuffer()).toString('base64'), HEADERS: JSON.stringify(headers) }
}
