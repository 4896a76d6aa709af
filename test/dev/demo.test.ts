import t from 'tap'
import { loadDemo } from '../../dev/demo/load.js'
import { personas } from '../../dev/personas.js'
import { testApp } from '../helper.js'

t.test('demo documents: three terms, two privacy notices and a draft, with a history of acceptances', async t => {
  const server = await testApp(t)
  const { db } = server.database
  await Promise.all([loadDemo(db), loadDemo(db)])
  const admin = await server.as({ sub: personas.admin.sub, email: personas.admin.email, roles: personas.admin.roles })

  const documents = (await admin.get('/legal/admin/documents')).json
  t.same(documents.map(({ type, version, isActive, publishedAt }: Record<string, unknown>) => [type, version, isActive, publishedAt === null]), [
    ['privacy', '2.0.0', false, true],
    ['terms', '2.0.0', true, false],
    ['privacy', '1.1.0', true, false],
    ['terms', '1.1.0', false, false],
    ['privacy', '1.0.0', false, false],
    ['terms', '1.0.0', false, false]
  ], 'loaded once')
  for (const { id, version, type, publishedAt } of documents) {
    const { content } = (await admin.get(`/legal/admin/documents/${id}`)).json
    t.ok(content.split(/\s+/).length > 400, `${type} ${version} is long enough to look real`)
    const { totalAcceptances, acceptanceRate } = (await admin.get(`/legal/admin/documents/${id}/analytics`)).json
    if (publishedAt === null) t.equal(totalAcceptances, 0)
    else t.ok(acceptanceRate > 10 && acceptanceRate < 100, `${type} ${version} was accepted by ${acceptanceRate} %`)
  }

  const { total, acceptances } = (await admin.get('/legal/admin/acceptances?limit=500')).json
  t.equal(total, acceptances.length)
  t.ok(total > 200)
  const times = acceptances.map(({ acceptedAt }: { acceptedAt: string }) => acceptedAt)
  t.ok(Date.parse(times[0]) < Date.now())
  t.same(times, [...times].sort().reverse())
})

t.test('the demo\'s user has accepted all but the newest terms, its startup everything', async t => {
  const server = await testApp(t)
  await loadDemo(server.database.db)
  const user = await server.as({ sub: personas.user.sub, email: personas.user.email })
  t.match((await user.get('/legal/status')).json, {
    needsTermsAcceptance: true,
    needsPrivacyAcceptance: false,
    userTermsVersion: '1.1.0',
    currentTermsVersion: '2.0.0',
    userPrivacyVersion: '1.1.0'
  })
  const startup = await server.as({ sub: personas.startup.sub, startupId: personas.startup.startup })
  t.equal((await startup.get('/legal/status')).json.needsAcceptance, false)
  t.ok((await startup.get('/startup/signals')).json.items.length > 0)
})

t.test('demo documents stay away from a database that has users', async t => {
  const server = await testApp(t)
  await (await server.as({ sub: 'somebody' })).get('/legal/status')
  await loadDemo(server.database.db)
  t.equal((await (await server.as()).get('/legal/current/terms')).status, 404)
})
