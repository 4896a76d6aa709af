import t from 'tap'
import { adminClaims, testApp } from '../helper.js'
import { isError } from '../legal/helper.js'
import { registeredRoutes } from '../routes.js'

type Level = 'public' | 'user' | 'admin'

/** Specification: Endpoints and Authentication; contract: Users, Own history, Old versions, Service routes. */
const levels: Record<string, Level> = {
  'GET /legal/current/:type': 'public',
  'GET /legal/versions/:type': 'public',
  'GET /legal/versions/:type/:version': 'public',
  'POST /legal/accept': 'user',
  'GET /legal/status': 'user',
  'GET /legal/acceptances': 'user',
  'GET /legal/admin/documents': 'admin',
  'POST /legal/admin/documents': 'admin',
  'GET /legal/admin/documents/:id': 'admin',
  'PUT /legal/admin/documents/:id': 'admin',
  'DELETE /legal/admin/documents/:id': 'admin',
  'POST /legal/admin/documents/:id/publish': 'admin',
  'GET /legal/admin/documents/:id/analytics': 'admin',
  'GET /legal/admin/acceptances': 'admin',
  'GET /legal/admin/users': 'admin',
  'PUT /legal/admin/users/:id': 'admin',
  'DELETE /legal/admin/users/:id': 'admin',
  'GET /openapi.json': 'public',
  'GET /health/live': 'public',
  'GET /health/ready': 'public'
}

t.test('access levels', async t => {
  const { app, as } = await testApp(t)
  const callers = { anybody: await as(), user: await as({ sub: 'ann' }), signalAdmin: await as({ sub: 'sam', roles: ['admin'], startupId: 's-1' }), admin: await as(adminClaims) }
  const document = (await callers.anybody.get('/openapi.json')).json
  const routes = registeredRoutes(app).filter(({ path }) => !path.startsWith('/documentation'))
  const isTabled = (path: string) => /^\/(legal|health|openapi)/.test(path)

  t.test('the table names exactly the routes that there are', async t => {
    const named = routes.filter(({ method, path }) => method !== 'HEAD' && isTabled(path)).map(({ method, path }) => `${method} ${path}`)
    t.same(named.sort(), Object.keys(levels).sort())
  })

  for (const { method, path } of routes) {
    const level = levels[`${method === 'HEAD' ? 'GET' : method} ${path}`]
    const url = path.replace(':type', 'terms').replace(':version', '1.0.0').replace(/:\w+/, 'nonsense')
    const request = { method: method as 'GET', url }

    if (!isTabled(path)) {
      t.test(`${method} ${path} wants a token`, async t => { t.equal((await callers.anybody.send(request)).status, 401) })
      continue
    }

    t.test(`${method} ${path} is for: ${level}`, async t => {
      const answers = {
        anybody: await callers.anybody.send(request),
        badToken: await callers.anybody.send({ ...request, headers: { authorization: 'Bearer nonsense' } }),
        user: await callers.user.send(request),
        signalAdmin: await callers.signalAdmin.send(request),
        admin: await callers.admin.send(request)
      }
      const open = level === 'public' ? Object.keys(answers) : level === 'user' ? ['user', 'signalAdmin', 'admin'] : ['admin']
      for (const [name, answer] of Object.entries(answers)) {
        if (open.includes(name)) t.notOk([401, 403].includes(answer.status), `${name} may`)
        else if (method === 'HEAD') t.equal(answer.status, ['user', 'signalAdmin'].includes(name) ? 403 : 401)
        else if (name === 'anybody') isError(t, answer, 401, 'Missing bearer token')
        else if (name === 'badToken') isError(t, answer, 401, 'Invalid or expired bearer token')
        else isError(t, answer, 403, 'Admin access required')
        if (answer.status === 401) t.equal(answer.headers['www-authenticate'], 'Bearer')
      }
    })

    if (method !== 'HEAD') {
      t.test(`${method} ${path} says so in the OpenAPI document`, async t => {
        const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
        t.same(operation?.security, level === 'public' ? [] : [{ bearer: [] }])
        const statuses = Object.keys(operation?.responses ?? {})
        t.equal(statuses.includes('401'), level !== 'public')
        t.equal(statuses.includes('403'), level === 'admin')
      })
    }
  }
})
