import { availableParallelism, cpus } from 'node:os'
import type { Context } from './measure.js'
import { cores } from './process.js'
import { scaleName } from './seed.js'

/** Where and how the figures were made, by name. */
export type Facts = Readonly<Record<string, string>>

export async function machineFacts ({ scale, rounds, seconds, query }: Context, serverUrl: string): Promise<Facts> {
  const [server] = await query<{ version: string, buffers: string }>(serverUrl,
    "select current_setting('server_version') as version, current_setting('shared_buffers') as buffers")
  return {
    date: new Date().toISOString().slice(0, 10),
    acceptances: scaleName(scale),
    rounds: `${rounds} of ${seconds} s`,
    processor: `${availableParallelism()} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    pinned: cores.server.length > 0 ? 'servers on core 0, load on core 1' : 'no',
    node: process.version,
    postgres: `${server?.version ?? 'unknown'}, shared_buffers ${server?.buffers ?? 'unknown'}`,
    system: `${process.platform} ${process.arch}`
  }
}
