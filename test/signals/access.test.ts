import t from 'tap'
import { adminClaims, adminEmail } from '../helper.js'
import { signalApp } from './helper.js'

const id = '019a4c1e-5b7a-7c3d-9e2f-1a2b3c4d5e6f'
type Route = ['GET' | 'POST' | 'PUT' | 'PATCH', string]

const adminRoutes: Route[] = [
  ['POST', `/govintel/signals/${id}/assign`], ['POST', `/govintel/signals/${id}/publish`], ['POST', `/govintel/signals/${id}/unpublish`],
  ['POST', `/govintel/signals/${id}/archive`], ['POST', `/govintel/signals/${id}/unarchive`], ['GET', `/govintel/signals/${id}/status-history`],
  ['POST', '/govintel/signals'], ['GET', '/govintel/signals'], ['GET', `/govintel/signals/${id}`], ['PATCH', `/govintel/signals/${id}`],
  ['PUT', '/govintel/startups/s'], ['GET', '/govintel/startups'], ['PUT', '/govintel/governments/g'], ['GET', '/govintel/governments'],
  ['PUT', '/govintel/government-contacts/c'], ['GET', '/govintel/government-contacts'],
  ['GET', '/contact-requests'], ['GET', `/contact-requests/${id}`], ['POST', `/contact-requests/${id}/approve`], ['POST', `/contact-requests/${id}/reject`]
]
const startupRoutes: Route[] = [
  ['GET', '/signal-pool'], ['POST', `/signal-pool/${id}/accept`], ['POST', `/signal-pool/${id}/view`],
  ['GET', '/startup/signals'], ['GET', `/startup/signals/${id}`], ['POST', `/startup/signals/${id}/accept`], ['POST', `/startup/signals/${id}/decline`],
  ['POST', `/startup/signals/${id}/request-contact`], ['GET', '/startup/contact-requests']
]
const mixedRoutes: Route[] = [['GET', '/connections']]

t.test('every route of the area is listed here', async t => {
  const { app } = await signalApp(t, [])
  const document = (app as unknown as { swagger (): { paths: Record<string, Record<string, { tags: string[] }>> } }).swagger()
  const tags = ['Signals', 'Signal pool', 'Startup', 'Contact requests', 'Reference data']
  const operations = Object.values(document.paths).flatMap(path => Object.values(path)).filter(operation => tags.includes(operation.tags[0] as string))
  t.equal(operations.length, adminRoutes.length + startupRoutes.length + mixedRoutes.length)
})

t.test('401, 403 and who may pass, on every route', async t => {
  const app = await signalApp(t, ['aurora'])
  const nobody = await app.as()
  const broken = (await app.as({ ...adminClaims, exp: 1 }))
  const user = await app.as({ sub: 'user-1' })
  const legalAdmin = await app.as({ sub: 'user-2', email: adminEmail, roles: ['user'] })
  const unknownStartup = await app.as({ sub: 'user-3', startupId: 'nobody' })
  const oddStartup = await app.as({ sub: 'user-3', startupId: "a' or 1=1" })
  const startup = await app.as({ sub: 'user-4', startupId: 'aurora' })
  const admin = await app.as({ sub: 'user-5', roles: 'user admin' })
  // Broken on purpose: whoever may not pass is told so before the body is looked at.
  const payload = { title: 5, name: 5, notes: 5, reason: 5, justification: 5, startupIds: 5, requestSource: 5, decision: 5 }
  const call = async (client: typeof admin, [method, url]: Route) =>
    await client.send({ method, url, ...(method !== 'GET' && { payload }) })

  for (const route of [...adminRoutes, ...startupRoutes, ...mixedRoutes]) {
    for (const client of [nobody, broken]) {
      const answer = await call(client, route)
      t.equal(answer.status, 401, route.join(' '))
      t.equal(answer.headers['www-authenticate'], 'Bearer')
      t.match(answer.json, { statusCode: 401, error: 'Unauthorized' })
    }
  }
  const passes = [200, 400, 404, 409]
  for (const route of adminRoutes) {
    for (const client of [user, legalAdmin, startup]) {
      t.match(await call(client, route), { status: 403, json: { statusCode: 403, error: 'Forbidden', message: 'Admin access required' } }, route.join(' '))
    }
    t.ok(passes.includes((await call(admin, route)).status), route.join(' '))
  }
  for (const route of startupRoutes) {
    for (const client of [user, legalAdmin, unknownStartup, oddStartup, admin]) {
      t.match(await call(client, route), { status: 403, json: { statusCode: 403, error: 'Forbidden', message: 'No startup is associated with this account' } }, route.join(' '))
    }
    t.ok(passes.includes((await call(startup, route)).status), route.join(' '))
  }
  for (const route of mixedRoutes) {
    for (const client of [user, legalAdmin, unknownStartup]) t.equal((await call(client, route)).status, 403)
    for (const client of [startup, admin]) t.equal((await call(client, route)).status, 200)
  }

  t.test('a startup registered a moment ago may pass at once', async t => {
    t.equal((await unknownStartup.get('/signal-pool')).status, 403)
    await app.admin.put('/govintel/startups/nobody', { name: 'Somebody' })
    t.equal((await unknownStartup.get('/signal-pool')).status, 200)
  })

  t.test('a startup sees and moves only what is its own', async t => {
    await app.admin.put('/govintel/startups/boreal', { name: 'Boreal' })
    const boreal = await app.as({ sub: 'user-6', startupId: 'boreal' })
    const signal = await app.create()
    await app.admin.post(`/govintel/signals/${signal}/assign`, { startupIds: ['aurora'] })
    t.equal((await boreal.get(`/startup/signals/${signal}`)).status, 404)
    t.equal((await boreal.post(`/startup/signals/${signal}/decline`)).status, 404)
    t.equal((await startup.post(`/startup/signals/${signal}/accept`, { startupId: 'boreal' })).json.assignment.startupId, 'aurora', 'the startup is the token\'s')
  })
})
