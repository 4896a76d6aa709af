import Fastify from 'fastify'

// Bare Fastify that sends given bytes with given headers, ready-made as a Buffer.
const body = Buffer.from(process.env['BODY'] ?? '', 'base64')
const headers = JSON.parse(process.env['HEADERS'] ?? '{}') as Record<string, string>

const app = Fastify()
app.get('/legal/current/:type', (_request, reply) => {
  reply.headers(headers).send(body)
})
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) })
