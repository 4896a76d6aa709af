import t from 'tap'
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTypeScript, { astToString } from 'openapi-typescript'
import { adminClaims, testDatabase, token } from '../helper.js'
import { startService } from './service.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A client as a team would write it: it compiles only as long as the document describes the service. */
const tour = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'

const [baseUrl = '', admin = '', user = '', founder = ''] = process.argv.slice(2)
const as = (token: string) => createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })

function got<T> ({ data, response }: { data?: T, response: Response }): T {
  if (data === undefined) throw new Error(\`\${response.url} answered \${response.status}\`)
  return data
}

type Signal = components['schemas']['Signal']

const document = got(await as(admin).POST('/legal/admin/documents', {
  body: { type: 'terms', version: '1.0.0', title: 'Terms', content: 'Be kind.', effectiveDate: '2026-01-01T00:00:00Z', requiresImmediate: true, gracePeriodDays: 0 }
}))
got(await as(admin).POST('/legal/admin/documents/{id}/publish', { params: { path: { id: document.id } }, body: {} }))
const current = got(await createClient<paths>({ baseUrl }).GET('/legal/current/{type}', { params: { path: { type: 'terms' } } }))
const before = got(await as(user).GET('/legal/status'))
const acceptance = got(await as(user).POST('/legal/accept', { body: { type: 'terms', version: current.version } }))
const after = got(await as(user).GET('/legal/status'))
const needs: [boolean, boolean] = [before.needsAcceptance, after.needsAcceptance]

got(await as(admin).PUT('/govintel/startups/{id}', { params: { path: { id: 'startup-aurora' } }, body: { name: 'Aurora' } }))
const signal: Signal = got(await as(admin).POST('/govintel/signals', { body: { title: 'Need', description: 'Text' } }))
const path = { id: signal.id }
got(await as(admin).POST('/govintel/signals/{id}/assign', { params: { path }, body: { startupIds: ['startup-aurora'] } }))
got(await as(founder).POST('/startup/signals/{signalId}/accept', { params: { path: { signalId: signal.id } }, body: {} }))
const { contactRequest } = got(await as(founder).POST('/startup/signals/{signalId}/request-contact', {
  params: { path: { signalId: signal.id } }, body: { requestSource: 'direct' }
}))
const approved = got(await as(admin).POST('/contact-requests/{id}/approve', { params: { path: { id: contactRequest.id } }, body: {} }))
const history = got(await as(admin).GET('/govintel/signals/{id}/status-history', { params: { path } }))

// @ts-expect-error There is no such path.
await as(admin).GET('/legal/nowhere')
// @ts-expect-error Nor such a type of document.
await as(user).POST('/legal/accept', { body: { type: 'cookies' } })

console.log(JSON.stringify({
  version: acceptance.version, needs, status: approved.signal.status, actions: history.map(row => row.action)
}))
`

t.test('a client generated from the running service\'s document compiles under strict and takes the tour', async t => {
  const { base } = await startService(t, { DATABASE_URL: await testDatabase(t) })
  const folder = `${root}.local/client-${process.pid}`
  await mkdir(folder, { recursive: true })
  t.teardown(() => rm(folder, { recursive: true }))
  await writeFile(`${folder}/package.json`, '{"type": "module"}')
  await writeFile(`${folder}/api.d.ts`, astToString(await openapiTypeScript(new URL(`${base}/openapi.json`))))
  await writeFile(`${folder}/tour.ts`, tour)

  const compiled = await run(process.execPath, [
    `${root}node_modules/typescript/bin/tsc`, '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext',
    '--types', 'node', `${folder}/tour.ts`
  ], { cwd: folder }).catch((error: { stdout: string }) => error)
  t.equal(compiled.stdout, '', 'it compiles')

  const tokens = await Promise.all([
    token(adminClaims), token({ sub: 'user-1', email: 'one@example.com' }), token({ sub: 'founder-1', startupId: 'startup-aurora' })
  ])
  const { stdout } = await run(process.execPath, [`${folder}/tour.js`, base, ...tokens])
  t.same(JSON.parse(stdout), {
    version: '1.0.0',
    needs: [true, false],
    status: 'contact_request_approved',
    actions: ['create', 'assign', 'accept', 'request_contact', 'approve_contact']
  })
})
