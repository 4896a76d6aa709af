import type { FastifyPluginCallback } from 'fastify'
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node'
import type { PostgresPool } from 'kysely'

/** A collector that does not answer must not hold up the end of the process. */
const exportMs = 3000

/** Traces of one process, on their way to a collector. */
export interface Tracing {
  /** Must be the first plugin of the application: what is registered before it is not traced. */
  readonly plugin: FastifyPluginCallback
  /** To be put between the query builder and the pool. */
  readonly tracePool: (pool: PostgresPool) => PostgresPool
  /** Sends what has not been sent. */
  end (): Promise<void>
}

/**
 * Sends a span for each request, named after its route, and below it one for each statement that it sends to the
 * database, to the collector at `endpoint` over OTLP/HTTP in JSON. Takes up the trace of a `traceparent` header. Bodies,
 * headers, query strings and the values of statements are in no span. All of it is only loaded here: without a
 * collector it costs nothing.
 */
export async function startTracing (endpoint: string, serviceName: string): Promise<Tracing> {
  const [{ tracePool }, { FastifyOtelInstrumentation }, { OTLPTraceExporter }, { resourceFromAttributes }, sdk] = await Promise.all([
    import('../database/tracing.js'),
    import('@fastify/otel'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node')
  ])
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: exportMs })
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [discreet, new sdk.BatchSpanProcessor(exporter)]
  })
  provider.register()
  const instrumentation = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook (span, { method, url, routeOptions }) {
      span.updateName([method, routeOptions.url].join(' ').trimEnd())
      span.setAttribute('url.path', url.split('?')[0] as string)
    }
  })
  instrumentation.setTracerProvider(provider)
  return {
    plugin: instrumentation.plugin(),
    tracePool,
    end: () => provider.shutdown()
  }
}

/**
 * Takes the messages of errors out of the spans: that of broken JSON quotes the body, and the log has them anyway. By
 * OpenTelemetry's conventions a request that was refused (4xx) is no error of the server.
 */
const discreet: SpanProcessor = {
  onStart () {},
  onEnding (span) {
    const code = Number(span.attributes['http.response.status_code'] ?? 500) < 500 ? 0 : span.status.code
    Object.assign(span, { status: { code } })
  },
  onEnd () {},
  forceFlush: async () => {},
  shutdown: async () => {}
}
