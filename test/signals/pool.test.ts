import t from 'tap'
import type { Client } from '../helper.js'
import { foldCase, searchPattern, searchText } from '../../src/signals/search.js'
import { signalApp } from './helper.js'

interface Listed { id: string, title: string, status: string }

t.test('pool listing: flags, order, related objects, pagination', async t => {
  const { admin, startups, create } = await signalApp(t)
  const [aurora, boreal] = startups as [Client, Client]
  const publish = async (fields: Record<string, unknown>) => {
    const id = await create(fields)
    await admin.post(`/govintel/signals/${id}/publish`)
    return id
  }
  const ids: string[] = []
  for (let index = 0; index < 25; index++) {
    ids.push(await publish({ title: `Signal ${index}`, governmentId: 'gov-1', governmentContactId: 'contact-1', solutionCategory: index % 2 === 0 ? 'even' : 'odd', visibilityLevel: index < 5 ? 'low' : 'high' }))
  }
  await create({ title: 'not public' })
  const newestFirst = [...ids].reverse()
  const list = async (query = '') => (await boreal.get(`/signal-pool${query}`)).json

  t.test('default page 1 and limit 20, publishedAt descending', async t => {
    const { signals, pagination } = await list()
    t.strictSame(signals.map((signal: Listed) => signal.id), newestFirst.slice(0, 20))
    t.strictSame(pagination, { page: 1, limit: 20, total: 25, totalPages: 2 })
  })

  t.test('each with government and governmentContact', async t => {
    const [signal] = (await list('?limit=1')).signals
    t.strictSame(signal.government, { id: 'gov-1', name: 'Harbour City Council' })
    t.strictSame(signal.governmentContact, { id: 'contact-1', governmentId: 'gov-1', name: 'Ines Okafor', email: 'ines@example.org' })
  })

  t.test('page 2, beyond the end, far beyond the end: the total stays true', async t => {
    t.strictSame((await list('?page=2')).signals.map((signal: Listed) => signal.id), newestFirst.slice(20))
    for (const page of ['3', '9007199254740991']) {
      t.strictSame(await list(`?page=${page}&limit=100`), { signals: [], pagination: { page: Number(page), limit: 100, total: 25, totalPages: 1 } })
    }
  })

  t.test('the pages of a search: the same order, the exact total, also beyond the end', async t => {
    const found = newestFirst.filter(id => ids.indexOf(id) === 1 || (ids.indexOf(id) >= 10 && ids.indexOf(id) < 20))
    for (const [page, expected] of [[1, found.slice(0, 5)], [2, found.slice(5, 10)], [3, found.slice(10)], [4, []]] as const) {
      const { signals, pagination } = await list(`?search=signal%201&limit=5&page=${page}`)
      t.strictSame(signals.map((signal: Listed) => signal.id), expected)
      t.strictSame(pagination, { page, limit: 5, total: 11, totalPages: 3 })
    }
  })

  t.test('limit above 100 is clamped and says so', async t => {
    for (const limit of ['101', '1000', '9'.repeat(310)]) {
      t.strictSame((await list(`?limit=${limit}`)).pagination, { page: 1, limit: 100, total: 25, totalPages: 1 })
    }
  })

  t.test('visibilityLevel and solutionCategory', async t => {
    t.equal((await list('?solutionCategory=even')).pagination.total, 13)
    t.equal((await list('?solutionCategory=even&visibilityLevel=low')).pagination.total, 3)
    t.strictSame(await list('?visibilityLevel=unknown'), { signals: [], pagination: { page: 1, limit: 20, total: 0, totalPages: 0 } })
  })

  t.test('an accepted signal stays listed and shows its status; available=true narrows', async t => {
    await aurora.post(`/signal-pool/${newestFirst[0]}/accept`)
    t.match((await list('?limit=1')).signals, [{ id: newestFirst[0], status: 'accepted', isPublic: true }])
    const { signals, pagination } = await list('?available=true&limit=1')
    t.match(signals, [{ id: newestFirst[1], status: 'signal_assigned' }])
    t.equal(pagination.total, 24)
    t.equal((await list('?available=false')).pagination.total, 25)
  })

  t.test('not active, archived or unpublished: not in the pool', async t => {
    await admin.patch(`/govintel/signals/${ids[0]}`, { isActive: false })
    await admin.post(`/govintel/signals/${ids[1]}/archive`)
    await admin.post(`/govintel/signals/${ids[2]}/unpublish`)
    t.equal((await list()).pagination.total, 22)
    await admin.patch(`/govintel/signals/${ids[0]}`, { isActive: true })
    await admin.post(`/govintel/signals/${ids[1]}/unarchive`)
    t.equal((await list()).pagination.total, 24)
  })

  t.test('a signal without government has null', async t => {
    const id = await publish({ title: 'Alone' })
    t.match((await list('?limit=1')).signals, [{ id, government: null, governmentContact: null, solutionCategory: '', viewCount: 0 }])
  })
})

t.test('search: a literal substring in any letter case of any script', async t => {
  const { admin, startups, create } = await signalApp(t)
  const [aurora] = startups as [Client]
  const publish = async (title: string, description: string) => {
    const id = await create({ title, description })
    await admin.post(`/govintel/signals/${id}/publish`)
    return id
  }
  const cases: Array<[string, string, string[], string[]]> = [
    ['Night Buses', 'Too LOUD at 100% of stops', ['night', 'BUSES', 'too loud', '100%', 'T B', 'S'], ['night_', 'nigh%', 'sestoo', 'ses too']],
    ['under_score', 'back\\slash and %percent%', ['R_S', 'k\\s', '%percent%', '%'], ['under-score', 'rXs', '\\\\']],
    ['Тихие автобусы', 'Шум после ПОЛУНОЧИ', ['ТИХИЕ', 'полуночи', 'Шу'], ['тихиеx']],
    ['ΟΔΟΣ ΚΑΙ ΟΔΟΣΗΜΑ', 'Ελλάδα', ['οδος', 'οδοσ', 'ΟΔΌΣ'.normalize('NFD').slice(0, 2), 'ελλάδα', 'ΕΛΛΆΔΑ'], ['οδοσxη']],
    ['Straße nach İstanbul', 'ẞ', ['STRASSE', 'straße', 'istanbul', 'İSTANBUL', 'ß', 'SS'], ['strase']],
    ['夜間バス', '騒音が大きい', ['間バ', '騒音が', '夜'], ['夜バ']],
    ['Ավտոբուս Ავტობუსი', 'ᎠᏂᏴᏫᏯ 𐐀𐐁', ['աՎՏՈ', 'ავტო', 'ꭰꮒ', '𐐨𐐩'], ['𐐩𐐨']],
    ['Emoji 🚌 bus', 'é and e\u0301', ['🚌', 'É', 'E\u0301'], ['🚍']]
  ]
  const ids: string[] = []
  for (const [title, description] of cases) ids.push(await publish(title, description))
  const find = async (search: string) => {
    const answer = await aurora.get(`/signal-pool?limit=100&search=${encodeURIComponent(search)}`)
    t.equal(answer.status, 200, search)
    t.equal(answer.json.pagination.total, answer.json.signals.length)
    return answer.json.signals.map((signal: Listed) => signal.id)
  }
  for (const [index, [title, , hits, misses]] of cases.entries()) {
    for (const hit of hits) t.ok((await find(hit)).includes(ids[index]), `${hit} in ${title}`)
    for (const miss of misses) t.notOk((await find(miss)).includes(ids[index]), `${miss} not in ${title}`)
  }
  t.equal((await find('')).length, cases.length, 'an empty search is none')
  t.equal((await find('night buses\nToo')).length, 0, 'never across title and description')

  t.test('edited texts are found by their new words', async t => {
    await admin.patch(`/govintel/signals/${ids[0]}`, { title: 'Silent Trams' })
    t.strictSame(await find('SILENT'), [ids[0]])
    t.strictSame(await find('too loud'), [ids[0]], 'the description stays')
    t.strictSame(await find('night buses'), [])
  })

  t.test('the same search for admins', async t => {
    t.equal((await admin.get('/govintel/signals?search=trams')).json.pagination.total, 1)
  })
})

t.test('folding keeps substrings: whatever is part of a text is part of its folded form', async t => {
  const text = 'ΑΣ İI ıi ẞß ŉ ΐ Ǆ ﬁ K Å ſ'
  const characters = Array.from(text)
  for (let from = 0; from < characters.length; from++) {
    for (let to = from; to <= characters.length; to++) t.ok(foldCase(text).includes(foldCase(characters.slice(from, to).join(''))))
  }
  t.notMatch(foldCase(text + text.toUpperCase()), /[A-Z]/, 'the separator never comes from a text')
  t.equal(searchText('Ab', 'Cd'), 'abXcd')
  t.equal(searchPattern('50%_\\X'), '%50\\%\\_\\\\x%')
})

t.test('view: upsert and viewCount + 1 together', async t => {
  const { admin, startups, create, detail, database } = await signalApp(t)
  const [aurora, boreal] = startups as [Client, Client]
  const id = await create()
  t.equal((await aurora.post(`/signal-pool/${id}/view`)).status, 404, 'not in the pool: 404')
  await admin.post(`/govintel/signals/${id}/publish`)
  const first = await aurora.post(`/signal-pool/${id}/view`)
  t.equal(first.status, 200)
  t.strictSame(first.json, { success: true })
  const read = async () => await database.db.selectFrom('signal_pool_views').select(['startup_id', 'viewed_at']).where('signal_id', '=', id).orderBy('startup_id').execute()
  const [before] = await read()
  await new Promise(resolve => setTimeout(resolve, 5))
  await aurora.post(`/signal-pool/${id}/view`, { ignored: true })
  await boreal.post(`/signal-pool/${id}/view`)
  const records = await read()
  t.strictSame(records.map(record => record.startup_id), ['aurora', 'boreal'], 'one record per signal and startup')
  t.ok((records[0]?.viewed_at ?? '') > (before?.viewed_at ?? ''), 'viewedAt is refreshed')
  t.equal((await detail(id)).viewCount, 3)
  for (const unpool of [() => admin.post(`/govintel/signals/${id}/archive`), () => admin.patch(`/govintel/signals/${id}`, { isActive: false })]) {
    await unpool()
    t.equal((await aurora.post(`/signal-pool/${id}/view`)).status, 404)
    await admin.post(`/govintel/signals/${id}/unarchive`)
  }
  t.equal((await detail(id)).viewCount, 3, 'a refused view counts nothing')
  t.equal((await aurora.post('/signal-pool/none/view')).status, 404)
})
