import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Test } from 'tap'
import { type HistoryEntry, replay } from '../../dev/replay-history.js'
import { adminClaims, testApp, token } from '../helper.js'

const history: HistoryEntry[] = [
  { type: 'terms', version: '1.0.0', title: 'Terms', content: 'Be kind.\r\n', committedAt: '2020-02-29T12:00:00+02:00' },
  { type: 'privacy', version: '1.0.0', title: 'Privacy', content: 'We know nothing. \u{1F469}\u200d\u{1F4BB} שלום' },
  { type: 'terms', version: '1.1.0', title: 'Terms', content: 'Be kinder.' },
  { type: 'terms', version: '1.0.1', title: 'Terms, rolled back', content: 'Be kind.\n' }
]

async function served (t: Test) {
  const { app } = await testApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    app,
    options: {
      url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`,
      adminToken: await token(adminClaims),
      userTokens: await Promise.all(['ann', 'bob', 'cid'].map(async sub => await token({ sub })))
    }
  }
}

t.test('a history replayed through a running service ends as it should', async t => {
  const { options } = await served(t)
  const { differences, ...figures } = await replay({ ...options, history })
  t.same(differences, [])
  t.match(figures, { published: 4, accepted: 6, statuses: 12 })
})

t.test('what the service gets wrong is found', async t => {
  const { app, options } = await served(t)
  app.server.prependListener('request', (_request, response) => {
    const end = response.end.bind(response)
    const changed = (body: unknown) => Buffer.from(String(body).replace('Be kinder.', 'Be kinder!'))
    response.end = ((body: unknown, ...rest: []) => body === undefined ? end() : end(changed(body), ...rest)) as typeof response.end
  })
  const { differences } = await replay({ ...options, history })
  t.ok(differences.some(difference => difference.startsWith('old version terms 1.1.0: ')), differences.join('\n'))
})

t.test('a service that has documents already is left alone', async t => {
  const { options } = await served(t)
  await replay({ ...options, history: history.slice(0, 1) })
  await t.rejects(replay({ ...options, history }), /has 1 of these documents already/)
  await t.rejects(replay({ ...options, history: history.slice(2) }), /has active terms/)
})
