import { type Context, DiagLogLevel, diag, ROOT_CONTEXT, SpanStatusCode, trace as tracing } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Log } from '#kernel/log'
import { version } from '#kernel/version'
import type { Exporter } from './index.ts'
import type { Part, Trace } from './rules.ts'

/** Milliseconds that a daemon that stops waits for the last traces. */
const farewellMs = 3_000

/**
 * Sends traces as OTLP over HTTP. Where to, with which headers, how many and how often is read by the library from the
 * standard variables.
 */
export function openExporter(log: Pick<Log, 'warn'>): Exporter {
  const say = (message: string) => log.warn({ detail: message.slice(0, 500) }, 'Traces could not be sent')
  const silent = () => undefined
  const logger = { error: say, warn: say, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const ids = { trace: '', span: '' }
  const processor = new BatchSpanProcessor(new OTLPTraceExporter())
  const own = resourceFromAttributes({ 'service.name': 'musterd', 'service.version': version })
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [processor],
    idGenerator: { generateTraceId: () => ids.trace, generateSpanId: () => ids.span },
  })
  const tracer = provider.getTracer('muster', version)

  function write(part: Part, around: Context, finish: (span: ReturnType<typeof tracer.startSpan>) => void): Context {
    ids.span = part.spanId
    const { name, attributes, start, end } = part
    const span = tracer.startSpan(name, { attributes, startTime: start }, around)
    if (part.failed) span.setStatus({ code: SpanStatusCode.ERROR })
    finish(span)
    span.end(end)
    return tracing.setSpan(around, span)
  }

  return {
    add(trace: Trace) {
      ids.trace = trace.traceId
      const inside = write(trace, ROOT_CONTEXT, (span) => {
        if (trace.failed) span.setStatus({ code: SpanStatusCode.ERROR, message: trace.status })
        for (const { name, at, attributes } of trace.events) span.addEvent(name, attributes, at)
      })
      for (const part of trace.parts) write(part, inside, () => undefined)
    },
    async close() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, farewellMs)
      })
      await Promise.race([provider.shutdown().catch((error: Error) => say(error.message)), late])
      clearTimeout(timer)
      diag.disable()
    },
  }
}
