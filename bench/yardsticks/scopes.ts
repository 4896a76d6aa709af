import Fastify from 'fastify'
import { createScopes } from '../../src/auth/scopes.js'
import { setUpTokens } from '../../src/auth/tokens.js'
import { loadConfig } from '../../src/config.js'
import { setUpErrors } from '../../src/kernel/errors.js'
import { requestIdOf } from '../../src/kernel/request-id.js'

// The service's own request ids, error handler, token check and access scopes, with one route in each that answers the same.
const config = loadConfig({ ...process.env, DATABASE_URL: 'postgres://127.0.0.1/none' })
const app = Fastify({ genReqId: requestIdOf })
await setUpErrors(app)
const authenticate = await setUpTokens(app, config.tokens)
const schema = { response: { 200: { type: 'object', properties: { success: { type: 'boolean' } } } } }
await app.register(async area => {
  // Neither scope that is used here asks the database.
  const scopes = createScopes(area, { authenticate, isKnownStartup: async () => false, recordCaller: async () => {} })
  scopes.public(async routes => { routes.get('/anonymous-all', { schema }, async () => ({ success: true })) })
  scopes.user(async routes => { routes.get('/authenticated', { schema }, async () => ({ success: true })) })
})
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
