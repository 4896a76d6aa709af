import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler, preValidationHookHandler } from 'fastify'
import { DatabaseUnavailable } from '../database/errors.js'

const sweepMs = 100

interface Wait {
  readonly reply: FastifyReply
  due: number
  /** When the body began to come in; undefined otherwise. */
  pausedAt: number | undefined
}

/**
 * Answers 503 for a request that takes longer than 8 s: below the contract's 10 s by what an answer under load takes
 * to leave. Each wait for the database has a bound of its own, but a
 * request may wait several times: for its guard, its transaction, one statement after the other (contract: Trouble of
 * ours). The time that a client takes to send its body does not count. What is still under way is undone or done by
 * the bounds of its statements; as after any 503 the caller does not know which.
 */
export function setUpDeadline (app: FastifyInstance, deadlineMs = 8000): void {
  const waits = new Map<FastifyRequest, Wait>()

  app.addHook('onRequest', (request, reply, done) => {
    waits.set(request, { reply, due: Date.now() + deadlineMs, pausedAt: undefined })
    done()
  })
  app.addHook('onRoute', route => {
    if (['GET', 'HEAD'].includes(String(route.method))) return
    route.preParsing = [route.preParsing ?? [], pause].flat()
    route.preValidation = [resume, route.preValidation ?? []].flat()
  })
  const pause: preParsingHookHandler = (request, _reply, _payload, done) => {
    const wait = waits.get(request)
    if (wait !== undefined) wait.pausedAt = Date.now()
    done()
  }
  const resume: preValidationHookHandler = (request, _reply, done) => {
    const wait = waits.get(request)
    if (wait?.pausedAt !== undefined) {
      wait.due += Date.now() - wait.pausedAt
      wait.pausedAt = undefined
    }
    done()
  }
  app.addHook('onResponse', (request, _reply, done) => {
    waits.delete(request)
    done()
  })

  const sweep = setInterval(() => {
    const now = Date.now()
    for (const [request, { reply, due, pausedAt }] of waits) {
      // A client that has gone ends in no onResponse.
      if (reply.sent || reply.raw.destroyed) waits.delete(request)
      else if (due <= now && pausedAt === undefined) {
        waits.delete(request)
        reply.send(new DatabaseUnavailable(`Not answered within ${deadlineMs} ms`))
      }
    }
  }, sweepMs)
  sweep.unref()
  app.addHook('onClose', async () => { clearInterval(sweep) })
}
