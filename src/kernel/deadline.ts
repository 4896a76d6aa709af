import type { FastifyInstance, FastifyReply, preParsingHookHandler, preValidationHookHandler } from 'fastify'
import { DatabaseUnavailable } from '../database/errors.js'
import { logAborted } from './request-log.js'

const sweepMs = 100

/** One request under way. */
interface Wait {
  readonly reply: FastifyReply
  /** Its place in the list of all. */
  index: number
  due: number
  /** When the body began to come in; undefined otherwise. */
  pausedAt: number | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Kept by the deadline. */
    wait: Wait | undefined
  }
}

/**
 * Answers 503 for a request that takes longer than 8 s: below the contract's 10 s by what an answer under load takes
 * to leave. Each wait for the database has a bound of its own, but a
 * request may wait several times: for its guard, its transaction, one statement after the other (contract: Trouble of
 * ours). The time that a client takes to send its body does not count. What is still under way is undone or done by
 * the bounds of its statements; as after any 503 the caller does not know which.
 */
export function setUpDeadline (app: FastifyInstance, deadlineMs = 8000): void {
  const waits: Wait[] = []

  /** The last one takes the place that becomes free, so that leaving costs the same however many wait. */
  function leave (wait: Wait): void {
    const last = waits.pop() as Wait
    if (last === wait) return
    waits[wait.index] = last
    last.index = wait.index
  }

  app.decorateRequest('wait', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    request.wait = { reply, index: waits.length, due: Date.now() + deadlineMs, pausedAt: undefined }
    waits.push(request.wait)
    done()
  })
  app.addHook('onRoute', route => {
    if (['GET', 'HEAD'].includes(String(route.method))) return
    route.preParsing = [route.preParsing ?? [], pause].flat()
    route.preValidation = [resume, route.preValidation ?? []].flat()
  })
  const pause: preParsingHookHandler = ({ wait }, _reply, _payload, done) => {
    if (wait !== undefined) wait.pausedAt = Date.now()
    done()
  }
  const resume: preValidationHookHandler = ({ wait }, _reply, done) => {
    if (wait?.pausedAt !== undefined) {
      wait.due += Date.now() - wait.pausedAt
      wait.pausedAt = undefined
    }
    done()
  }
  app.addHook('onResponse', (request, _reply, done) => {
    const { wait } = request
    request.wait = undefined
    if (wait !== undefined) leave(wait)
    done()
  })

  const sweep = setInterval(() => {
    const now = Date.now()
    for (const wait of [...waits]) {
      const { reply, due, pausedAt } = wait
      // A client that has gone ends in no onResponse.
      const isGone = reply.raw.destroyed
      if (!isGone && (due > now || pausedAt !== undefined)) continue
      reply.request.wait = undefined
      leave(wait)
      if (isGone) logAborted(reply)
      else if (!reply.sent) reply.send(new DatabaseUnavailable(`Not answered within ${deadlineMs} ms`))
    }
  }, sweepMs)
  sweep.unref()
  app.addHook('onClose', async () => { clearInterval(sweep) })
}
