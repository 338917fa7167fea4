import { hash } from 'node:crypto'
import type { Entry } from '#contract/entries'

type Value = string | number | boolean
type Attributes = Record<string, Value>

export interface Part {
  name: string
  /** Milliseconds since 1970. */
  start: number
  end: number
  spanId: string
  attributes: Attributes
  failed: boolean
}

/** A run as OpenTelemetry sees it: one span for the run, others for what took a known time, events for the rest. */
export interface Trace extends Part {
  traceId: string
  /** Why it failed: a status, never a text of an agent. */
  status: string
  parts: Part[]
  events: { name: string; at: number; attributes: Attributes }[]
}

/** The trace of a run's entries, oldest first; null without its start. The same run always has the same ids. */
export function traceOf(entries: readonly Entry[], end: Entry): Trace | null {
  const start = entries.find(({ entry_type }) => entry_type === 'run.started')
  if (!start) return null
  const { workspace_id, trace_id, agent_id, crew_id, mission_id } = start
  const traceId = idOf(32, workspace_id, trace_id!)
  const status = end.entry_type.slice('run.'.length).toUpperCase()
  const trace: Trace = {
    traceId,
    spanId: idOf(16, traceId, 'run'),
    name: 'run',
    start: Date.parse(start.ts),
    end: Date.parse(end.ts),
    status,
    failed: status === 'FAILED' || status === 'TIMEOUT',
    attributes: given({
      'muster.run.id': trace_id,
      'muster.workspace.id': workspace_id,
      'muster.crew.id': crew_id,
      'muster.agent.id': agent_id,
      'muster.mission.id': mission_id,
      'muster.run.trigger': textOf(start.payload?.['trigger_type']),
      'muster.run.status': status,
      ...usageOf(end),
    }),
    parts: [],
    events: [],
  }
  for (const entry of entries) place(trace, entry)
  return trace
}

/** Entries that tell how long something took are spans, all others events. What was said stays in the journal. */
function place(trace: Trace, { id, entry_type, severity, ts, payload }: Entry): void {
  const at = Date.parse(ts)
  const attributes = { 'muster.entry.id': id, 'muster.entry.severity': severity }
  const lasted = payload?.['duration_ms']
  if (typeof lasted !== 'number' || !(lasted >= 0)) {
    trace.events.push({ name: entry_type, at, attributes })
    return
  }
  trace.parts.push({
    name: entry_type,
    start: Math.max(trace.start, at - lasted),
    end: at,
    spanId: idOf(16, trace.traceId, id),
    attributes,
    failed: severity === 'error',
  })
}

function usageOf({ payload }: Entry): Record<string, Value | undefined> {
  const metadata = (payload?.['metadata'] ?? {}) as Record<string, unknown>
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)
  return {
    'gen_ai.request.model': textOf(metadata['model']),
    'gen_ai.usage.input_tokens': number(metadata['input_tokens']),
    'gen_ai.usage.output_tokens': number(metadata['output_tokens']),
    'muster.run.cost_usd': number(metadata['total_cost_usd']),
    'muster.run.exit_code': number(payload?.['exit_code']),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const given = (members: Record<string, Value | undefined>): Attributes =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Attributes

/** So many hexadecimal digits that follow from the words. */
const idOf = (digits: number, ...words: string[]): string => hash('sha256', words.join('\0'), 'hex').slice(0, digits)
