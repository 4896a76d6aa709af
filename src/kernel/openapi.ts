import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { STATUS_CODES } from 'node:http'
import { favicon, style } from './documentation-look.js'

const description = `
Two areas behind one API: **legal documents** (terms and privacy documents with versions, publishing, acceptances as
audit records) and **signals** (needs published by governments, assigned to startups or put in a public pool, up to a
connection).

Callers send a bearer token (JWT) of the platform's identity provider. Every error has the same body:
\`statusCode\`, \`error\` and \`message\`. A 503 carries \`Retry-After\`.

**To try it here:** \`npm run dev\` prints tokens that work. Press *Authorize*, paste one without the word "Bearer", open an
operation and press *Execute*.
`.trim()

export interface OpenApiOptions {
  readonly basePath: string
  /** An SVG of the signals' states, shown on the page for people. */
  readonly statesPicture: string
}

/** Collects the routes registered after it into an OpenAPI 3.1 document (contract: Service routes). */
export async function setUpOpenApi (app: FastifyInstance, { basePath, statesPicture }: OpenApiOptions): Promise<void> {
  const picturePath = `${basePath}/documentation/signal-states.svg`
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Legal documents and signals', version: '1.0.0', description: `${description}\n\n![The states of a signal](${picturePath})`, license: { name: 'MIT', identifier: 'MIT' } },
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
    transformObject: documented => 'openapiObject' in documented ? withErrorExamples(documented.openapiObject) : documented.swaggerObject,
    refResolver: {
      buildLocalReference: (schema, _baseUri, _fragment, index) => typeof schema.$id === 'string' ? schema.$id : `schema-${index}`
    }
  })
  await app.register(fastifySwaggerUi, {
    routePrefix: `${basePath}/documentation`,
    theme: {
      title: 'Legal documents and signals',
      css: [{ filename: 'style.css', content: style }],
      favicon: [{ filename: 'favicon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: favicon }]
    },
    uiConfig: {
      docExpansion: 'list',
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      tryItOutEnabled: true,
      persistAuthorization: true,
      displayRequestDuration: true
    }
  })
  app.get(picturePath, { schema: { hide: true } }, async (_request, reply) =>
    await reply.type('image/svg+xml').header('cache-control', 'public, max-age=3600').send(statesPicture))
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

const messages: Readonly<Record<string, string>> = {
  400: 'body.type is required',
  401: 'Missing bearer token',
  403: 'Admin access required',
  404: 'Document not found',
  409: 'Another terms document is active now',
  413: 'The body is too large',
  415: 'The body must be application/json'
}

type Responses = Record<string, { content?: Record<string, { schema?: { $ref?: string }, example?: unknown }> }>

/** All errors share one schema, whose one example would claim a 404 to be the body of each of them. */
function withErrorExamples<T extends { paths?: Record<string, unknown> }> (document: T): T {
  for (const path of Object.values(document.paths ?? {})) {
    for (const { responses = {} } of Object.values(path as Record<string, { responses?: Responses }>)) {
      for (const [status, { content }] of Object.entries(responses)) {
        const body = content?.['application/json']
        const error = STATUS_CODES[status]
        if (body?.schema?.$ref === '#/components/schemas/Error') body.example = { statusCode: Number(status), error, message: messages[status] ?? error }
      }
    }
  }
  return document
}
