import type { FastifyPluginCallback } from 'fastify'

/** A collector that does not answer must not hold up the end of the process. */
const exportMs = 3000

/** Traces of one process, on their way to a collector. */
export interface Tracing {
  /** Must be the first plugin of the application: what is registered before it is not traced. */
  readonly plugin: FastifyPluginCallback
  /** Sends what has not been sent. */
  end (): Promise<void>
}

/**
 * Sends a span for each request, named after its route, to the collector at `endpoint` over OTLP/HTTP in JSON. Takes up
 * the trace of a `traceparent` header. Bodies, headers and query strings are in no span. The packages are only loaded
 * here: without a collector they cost nothing.
 */
export async function startTracing (endpoint: string, serviceName: string): Promise<Tracing> {
  const [{ FastifyOtelInstrumentation }, { OTLPTraceExporter }, { resourceFromAttributes }, sdk] = await Promise.all([
    import('@fastify/otel'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node')
  ])
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: exportMs })
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)]
  })
  provider.register()
  const instrumentation = new FastifyOtelInstrumentation({ instrumentHooks: false, instrumentHandler: false })
  instrumentation.setTracerProvider(provider)
  return {
    plugin: instrumentation.plugin(),
    end: () => provider.shutdown()
  }
}
