import t from 'tap'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { testDatabase } from '../helper.js'
import { freePort, spawnService, startService } from './service.js'

const notHere = 'HOST must be an address of this machine or a name of one'

t.test('an address that cannot be listened on stops the start with one line that names the variable', async t => {
  const url = await testDatabase(t)
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const taken = String((other.address() as { port: number }).port)
  const rows: Array<[Record<string, string>, string]> = [
    [{ PORT: taken }, 'PORT is in use by another process'],
    [{ METRICS_PORT: taken }, 'METRICS_PORT is in use by another process'],
    [{ HOST: 'nowhere.invalid' }, notHere],
    [{ HOST: '127.0.0.1:3000' }, notHere],
    // Of documentation's own network (RFC 5737).
    [{ HOST: '192.0.2.1' }, notHere]
  ]
  const few = rows.slice(0, 2).map(([env, line]): typeof rows[0] => [{ ...env, INSTANCES: '2' }, line])
  for (const [env, line] of [...rows, ...few]) {
    const { ended, output } = spawnService(t, { DATABASE_URL: url, PORT: '0', METRICS_PORT: String(await freePort()), ...env })
    t.equal(await ended, 1)
    t.same(output().split('\n').filter(text => !text.startsWith('{') && text !== ''), [line], JSON.stringify(env))
  }
})

t.test('a name of this machine is listened on', async t => {
  const { base, child, ended } = await startService(t, { DATABASE_URL: await testDatabase(t), HOST: 'localhost' })
  t.equal((await fetch(`${base}/health/ready`)).status, 200)
  child.kill('SIGTERM')
  t.equal(await ended, 0)
})
