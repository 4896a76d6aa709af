import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readEnvFile } from '../src/env-file.js'
import { type HistoryEntry, replay } from './replay-history.js'
import { signToken } from './sign.js'

const help = `Replays a history of legal documents through a running service and checks what it ends with.

  npm run -s replay -- FILE --url http://127.0.0.1:3000 --admin-token TOKEN [options]

  FILE                 a JSON object a line: type, version, title, content; published in this order
  --url ADDRESS        the service, with its BASE_PATH
  --admin-token TOKEN  of an admin of the legal area
  --user-token TOKEN   of a user who accepts and asks between the publishes; may be given several times
  --users N            without --user-token: so many users, their tokens signed as npm run token does (default: 5)
  --help               this text

The service must have no active documents yet. Exits with 1 when anything differs.
`

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function main (): Promise<void> {
  const { values, positionals: [file] } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      'admin-token': { type: 'string' },
      'user-token': { type: 'string', multiple: true },
      users: { type: 'string', default: '5' },
      help: { type: 'boolean', short: 'h' }
    }
  })
  if (values.help === true) {
    process.stdout.write(help)
    return
  }
  const { url, 'admin-token': adminToken } = values
  if (file === undefined || url === undefined || adminToken === undefined) throw new Error(help)
  readEnvFile()
  const history = await readHistory(file)
  const userTokens = values['user-token'] ?? await signUsers(Number(values.users))
  const { differences, ...figures } = await replay({ url, adminToken, userTokens, history })
  console.log(`${figures.published} documents published, ${figures.accepted} acceptances, ${figures.statuses} statuses of ${userTokens.length} users`)
  console.log(`${figures.requests} requests in ${figures.seconds.toFixed(1)} s, ${(figures.textBytes / 1024 / 1024).toFixed(1)} MiB of text compared byte for byte`)
  for (const difference of differences) console.error(`DIFFERENT: ${difference}`)
  console.log(differences.length === 0 ? 'No difference.' : `${differences.length} differences.`)
  if (differences.length > 0) process.exitCode = 1
}

async function readHistory (file: string): Promise<HistoryEntry[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(line => line.trim() !== '')
  return lines.map((line, index) => {
    const entry = JSON.parse(line) as Record<string, unknown>
    for (const field of ['type', 'version', 'title', 'content']) {
      if (typeof entry[field] !== 'string') throw new Error(`${file}, line ${index + 1}: ${field} must be a text`)
    }
    return entry as unknown as HistoryEntry
  })
}

async function signUsers (count: number): Promise<string[]> {
  return await Promise.all(Array.from({ length: count }, async (_, index) =>
    await signToken({ sub: `replay-${index + 1}`, email: `replay-${index + 1}@example.com` }, 3600)))
}
