import { performance } from 'node:perf_hooks'
import { Connection } from './connection.js'
import type { Flood, Latency, Order, Pace, Recipe, Report, Sequence } from './recipe.js'
import { makeRequests } from './requests.js'

const graceMs = 12_000
/** Half of a usual backlog. */
const wave = 256

/** Latencies in milliseconds by status code. */
type Times = Map<number, number[]>

let prepared: { readonly key: string, readonly requests: Buffer[] } | undefined

/** Sends what the order says and tells what came back. */
export async function run (order: Order): Promise<Report> {
  const requests = prepare(order.recipe, order.port)
  const times: Times = new Map()
  const clock = { started: 0, cpu: process.cpuUsage() }
  // Connections are open by then.
  const start = (): void => {
    clock.cpu = process.cpuUsage()
    clock.started = performance.now()
  }
  const unanswered = order.kind === 'flood'
    ? await flood(order, requests, times, start)
    : order.kind === 'pace' ? await pace(order, requests, times, start) : await sequence(order, requests, times, start)
  const elapsed = performance.now() - clock.started
  const { user, system } = process.cpuUsage(clock.cpu)
  return {
    seconds: elapsed / 1000,
    statuses: Object.fromEntries([...times].map(([status, list]) => [status, summarise(list)])),
    unanswered,
    generatorLoad: (user + system) / 1000 / elapsed
  }
}

/** The last recipe's bytes are kept: rounds repeat it. */
function prepare (recipe: Recipe, port: number): Buffer[] {
  const key = JSON.stringify([recipe, port])
  if (prepared?.key !== key) prepared = { key, requests: makeRequests(recipe, port) }
  return prepared.requests
}

function record (times: Times, status: number, time: number): void {
  const list = times.get(status)
  if (list === undefined) times.set(status, [time])
  else list.push(time)
}

function summarise (list: number[]): Latency {
  const sorted = Float64Array.from(list).sort()
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted[sorted.length - 1] as number }
}

async function flood ({ port, connections, seconds, once = false }: Flood, requests: Buffer[], times: Times, start: () => void): Promise<number> {
  let next = 0
  let open = 0
  let deadline = Infinity
  let finish = (): void => {}
  const finished = new Promise<void>(resolve => { finish = resolve })

  function sendNext (connection: Connection): void {
    const now = performance.now()
    if (now >= deadline || (once && next >= requests.length)) {
      if (--open === 0) finish()
      return
    }
    connection.send(requests[next++ % requests.length] as Buffer, now)
  }

  const all = await openAll(port, connections, {
    onAnswer (connection, status) {
      record(times, status, performance.now() - connection.startedAt)
      sendNext(connection)
    },
    onEnd () {
      if (--open === 0) finish()
    }
  })
  open = all.length
  start()
  deadline = performance.now() + seconds * 1000
  for (const connection of all) sendNext(connection)
  const timer = setTimeout(finish, seconds * 1000 + graceMs)
  await finished
  clearTimeout(timer)
  const lost = open
  for (const connection of all) connection.close()
  return lost
}

async function pace ({ port, connections, seconds, rate }: Pace, requests: Buffer[], times: Times, start: () => void): Promise<number> {
  const idle: Connection[] = []
  const due: number[] = []
  let waiting = 0
  let answered = 0
  const all = await openAll(port, connections, {
    onAnswer (connection, status) {
      answered++
      record(times, status, performance.now() - connection.startedAt)
      if (waiting < due.length) connection.send(requests[waiting % requests.length] as Buffer, due[waiting++] as number)
      else idle.push(connection)
    },
    onEnd () {}
  })
  idle.push(...all)
  start()
  const started = performance.now()
  const total = Math.round(rate * seconds)
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const elapsed = performance.now() - started
      const count = Math.min(total, Math.floor(elapsed * rate / 1000))
      while (due.length < count) due.push(started + due.length * 1000 / rate)
      while (waiting < due.length && idle.length > 0) {
        const connection = idle.pop() as Connection
        if (!connection.ended) connection.send(requests[waiting % requests.length] as Buffer, due[waiting++] as number)
      }
      if (answered < total && elapsed < seconds * 1000 + graceMs) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  for (const connection of all) connection.close()
  return total - answered
}

async function sequence ({ port, requests: count }: Sequence, requests: Buffer[], times: Times, start: () => void): Promise<number> {
  let sent = 0
  await new Promise<void>((resolve, reject) => {
    const sendNext = (connection: Connection): void => {
      if (sent === count) {
        resolve()
        connection.close()
      } else {
        connection.send(requests[sent++ % requests.length] as Buffer, performance.now())
      }
    }
    Connection.open(port, {
      onAnswer (connection, status) {
        record(times, status, performance.now() - connection.startedAt)
        sendNext(connection)
      },
      onEnd () { reject(new Error('The connection was closed')) }
    }).then(connection => {
      start()
      sendNext(connection)
    }, reject)
  })
  return 0
}

/**
 * In waves, each taken in by the server before the next: it drops what overflows its backlog, and those connections would
 * have their first request repeated by TCP after seconds.
 */
async function openAll (port: number, count: number, listener: Parameters<typeof Connection.open>[1]): Promise<Connection[]> {
  const connected: Connection[] = []
  for (let opened = 0; opened < count; opened += wave) {
    const all = await Promise.all(Array.from({ length: Math.min(wave, count - opened) }, () => Connection.open(port, listener)))
    connected.push(...all.filter(connection => !connection.ended))
    if (count > wave) await knock(port)
  }
  if (connected.length === 0) throw new Error(`Nothing listens on port ${port}`)
  return connected
}

/** Resolves when a connection made now is answered: those made before have been taken in. */
async function knock (port: number): Promise<void> {
  await new Promise<void>(resolve => {
    const onEnd = (): void => { resolve() }
    Connection.open(port, { onAnswer (connection) { connection.close() }, onEnd }).then(connection => {
      if (!connection.ended) connection.send(Buffer.from('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'), 0)
    }, resolve)
  })
}
