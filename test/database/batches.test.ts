import t from 'tap'
import { setTimeout as pause } from 'node:timers/promises'
import { Batches } from '../../src/database/batches.js'
import { DatabaseOverloaded, DatabaseUnavailable } from '../../src/database/errors.js'

/** Batches of numbers, answered with their doubles after a moment, and a record of what travelled together. */
function doubling (options: { flights?: number, size?: number, maximumWaiting?: number, keyOf? (item: number): string } = {}, fail?: (items: readonly number[]) => void) {
  const trips: number[][] = []
  let underWay = 0
  let most = 0
  const batches = new Batches<number, number>({
    flights: 1,
    size: 10,
    maximumWaiting: 100,
    ...options,
    async run (items) {
      trips.push([...items])
      most = Math.max(most, ++underWay)
      await pause(10)
      underWay--
      fail?.(items)
      return items.map(item => item * 2)
    }
  })
  return { batches, trips, mostUnderWay: () => most }
}

t.test('a lone item leaves at once, those that come meanwhile share the next statement, in order', async t => {
  const { batches, trips } = doubling()
  t.same(await Promise.all([1, 2, 3, 4].map(item => batches.add(item))), [2, 4, 6, 8])
  t.same(trips, [[1], [2, 3, 4]])
})

t.test('no more than the given number of items and of statements at once', async t => {
  const { batches, trips, mostUnderWay } = doubling({ flights: 2, size: 3 })
  const items = [...Array(20).keys()]
  t.same(await Promise.all(items.map(item => batches.add(item))), items.map(item => item * 2))
  t.ok(trips.every(trip => trip.length <= 3))
  t.equal(mostUnderWay(), 2)
})

t.test('items with the same key never travel together', async t => {
  const { batches, trips } = doubling({ keyOf: item => String(item % 2) })
  await Promise.all([0, 1, 2, 3, 4, 5].map(item => batches.add(item)))
  t.same(trips, [[0], [1, 2], [3, 4], [5]])
})

t.test('an item that makes its statement fail fails alone', async t => {
  const { batches } = doubling({}, items => { if (items.includes(13)) throw new Error('thirteen') })
  const outcomes = await Promise.allSettled([1, 12, 13, 14].map(item => batches.add(item)))
  t.same(outcomes.map(({ status }) => status), ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  t.equal(await batches.add(15), 30, 'and it goes on')
})

t.test('a database that is gone is told to each of a batch, without trying them one by one', async t => {
  const { batches, trips } = doubling({}, () => { throw new DatabaseUnavailable('gone') })
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(item => batches.add(item)))
  t.ok(outcomes.every(outcome => outcome.status === 'rejected' && outcome.reason instanceof DatabaseUnavailable))
  t.equal(trips.length, 2)
})

t.test('whoever comes when too many wait is refused at once', async t => {
  const { batches } = doubling({ maximumWaiting: 5 })
  const admitted = [1, 2, 3, 4, 5, 6].map(item => batches.add(item))
  await t.rejects(batches.add(7), DatabaseOverloaded)
  t.same(await Promise.all(admitted), [2, 4, 6, 8, 10, 12])
  t.equal(await batches.add(8), 16)
})
