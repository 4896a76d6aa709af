import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

const description = `
Two areas behind one API: **legal documents** (terms and privacy documents with versions, publishing, acceptances as
audit records) and **signals** (needs published by governments, assigned to startups or put in a public pool, up to a
connection).

Callers send a bearer token (JWT) of the platform's identity provider. Every error has the same body:
\`statusCode\`, \`error\` and \`message\`. A 503 carries \`Retry-After\`.
`.trim()

/** Collects the routes registered after it into an OpenAPI 3.1 document (contract: Service routes). */
export async function setUpOpenApi (app: FastifyInstance, basePath: string): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Legal documents and signals', version: '1.0.0', description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [{ url: basePath === '' ? '/' : basePath }],
      tags: [
        { name: 'Legal documents', description: 'What anybody may read.' },
        { name: 'Legal acceptance', description: 'What a signed-in user accepts.' },
        { name: 'Legal administration', description: 'Documents, log, analytics and users; for admins on the allow-list.' },
        { name: 'Signals', description: 'The workflow of signals; for callers with the role `admin`.' },
        { name: 'Signal pool', description: 'Signals that every startup may take.' },
        { name: 'Startup', description: 'A startup\'s inbox, answers and contact requests.' },
        { name: 'Contact requests', description: 'Their review by admins, and the connections made.' },
        { name: 'Reference data', description: 'Startups, governments and their contacts.' },
        { name: 'Service', description: 'This document, and the health of an instance.' }
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of the identity provider; `npm run dev` prints some that work.' }
        }
      }
    },
    stripBasePath: true,
    refResolver: {
      buildLocalReference: (schema, _baseUri, _fragment, index) => typeof schema.$id === 'string' ? schema.$id : `schema-${index}`
    }
  })
  await app.register(fastifySwaggerUi, {
    routePrefix: `${basePath}/documentation`,
    theme: { title: 'Legal documents and signals' },
    uiConfig: { docExpansion: 'list', tryItOutEnabled: true, persistAuthorization: true, displayRequestDuration: true }
  })
  app.get(`${basePath}/openapi.json`, {
    schema: {
      operationId: 'getOpenApi',
      summary: 'This document',
      description: 'The OpenAPI 3.1 document of the service, made from its route schemas.',
      tags: ['Service'],
      security: [],
      response: { 200: { type: 'object', additionalProperties: true, description: 'An OpenAPI 3.1 document.' } }
    }
  }, async (_request, reply) => {
    reply.type('application/json; charset=utf-8').serializer(JSON.stringify)
    return app.swagger()
  })
}
