import t from 'tap'
import { setTimeout as pause } from 'node:timers/promises'
import { Batches } from '../../src/database/batches.js'
import { DatabaseOverloaded } from '../../src/database/errors.js'
import { Standing } from '../../src/database/standing.js'

t.test('a queue may be long for a moment, and only short once it has stood for a while', async t => {
  const queue = new Standing({ burst: 100, standing: 10 })
  queue.caughtUp()
  t.notOk(queue.isFull(99))
  t.ok(queue.isFull(100))
  await pause(300)
  t.notOk(queue.isFull(9))
  t.ok(queue.isFull(10))
  queue.caughtUp()
  t.notOk(queue.isFull(99))
})

/** Batches whose statements, of two items each, take as long as they are told. */
function batches (ms: () => number, keyOf?: (item: number) => string) {
  return new Batches<number, number>({
    flights: 1,
    size: 2,
    maximumWaiting: 100,
    ...(keyOf !== undefined && { keyOf }),
    async run (items) {
      await pause(ms())
      return [...items]
    }
  })
}

t.test('batches that stay full refuse what the next ones cannot carry, serve everybody admitted, and recover', async t => {
  const full = batches(() => 20)
  const admitted = Array.from({ length: 60 }, (_, index) => full.add(index))
  t.notOk(full.isOverloaded, 'a burst is taken in')
  await pause(350)
  t.ok(full.isOverloaded)
  await t.rejects(full.add(60), DatabaseOverloaded)
  t.same(await Promise.all(admitted), [...Array(60).keys()])
  t.notOk(full.isOverloaded)
  t.equal(await full.add(61), 61)
})

t.test('statements that do not come back make a queue stand, too', async t => {
  let ms = 600
  const stuck = batches(() => ms)
  const admitted = [1, 2, 3].map(item => stuck.add(item))
  t.notOk(stuck.isOverloaded)
  await pause(350)
  t.ok(stuck.isOverloaded)
  ms = 1
  t.same(await Promise.all(admitted), [1, 2, 3])
  t.notOk(stuck.isOverloaded)
})

t.test('many requests of one caller, which wait for each other, are no overload for the rest', async t => {
  const shared = batches(() => 20, item => item < 100 ? 'one' : String(item))
  const repeated = Array.from({ length: 30 }, (_, index) => shared.add(index))
  await pause(350)
  t.notOk(shared.isOverloaded)
  t.equal(await Promise.race([shared.add(100), Promise.all(repeated)]), 100, 'and need not wait for them')
  await Promise.all(repeated)
})
