import type { Entry } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import { queries } from './queries.ts'
import { type Trace, traceOf } from './rules.ts'

/** Where traces go. */
export interface Exporter {
  add(trace: Trace): void
  close(): Promise<void>
}

const ends = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.timeout'])
/** Entries of a run that its trace tells of: the first ones and the last. */
const most = 500

type Env = Readonly<Record<string, string | undefined>>

/** Whether the standard variables of OpenTelemetry ask for traces. Nothing is sent unless they name a place. */
export function asked(env: Env): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false
  const exporter = env['OTEL_TRACES_EXPORTER'] || 'otlp'
  if (exporter !== 'otlp') return false
  return Boolean(
    env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_TRACES_EXPORTER'],
  )
}

/** Sends a trace of each run that ends, read from the journal, so that a restart in between loses nothing of it. */
export async function openTraces(app: App, env: Env = process.env): Promise<{ close(): Promise<void> }> {
  if (!asked(env)) return { close: async () => undefined }
  const { openExporter } = await import('./otlp.ts')
  const exporter = openExporter(app.log)
  const told = ({ entry }: Recorded) => {
    if (entry.trace_id && ends.has(entry.entry_type)) send(app, exporter, entry)
  }
  app.bus.on('entry', told)
  return {
    async close() {
      app.bus.off('entry', told)
      await exporter.close()
    },
  }
}

function send({ db, index, log }: App, exporter: Exporter, end: Entry): void {
  try {
    const ws = index.names.find(0, end.workspace_id)
    const trace = ws === undefined ? undefined : index.names.find(ws, end.trace_id!)
    if (trace === undefined) return
    const rows = queries(db).ofTrace.all({ ws: ws!, trace, most })
    const entries = rows.map(({ doc }) => JSON.parse(doc) as Entry)
    // A second end of a run is no other run.
    const first = entries.find(({ entry_type }) => ends.has(entry_type))
    if (first && first.id !== end.id) return
    const made = traceOf(entries, end)
    if (made) exporter.add(made)
  } catch (error) {
    // Listeners of entries must not throw, and nobody waits for a trace.
    log.error({ err: error }, 'A trace could not be made')
  }
}
