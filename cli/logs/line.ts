import type { Entry } from '#contract/entries'
import { clean, cleanLine } from '../output/clean.ts'
import { folded } from '../output/fold.ts'
import type { Paint } from '../output/theme.ts'
import { pad, widthOf } from '../output/width.ts'
import { toneOf } from '../views/journal.ts'

/** One line of `muster logs`, whatever it comes from. */
export interface LogLine {
  ts: string
  level: string
  source: 'run' | 'container' | 'network'
  /** Slug of the agent, or of the crew where it is about no single agent. */
  who: string
  run_id: string | null
  text: string
}

const runs = [
  'run.started',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.timeout',
  'run.parked',
  'run.resumed',
  'peer.escalation',
  'agent.throttled',
]
export const containers = [
  'container.started',
  'container.stopped',
  'container.failed',
  'container.reaped',
  'provisioning.step',
  'provisioning.building',
  'provisioning.complete',
  'provisioning.failed',
]
const network = ['network.egress', 'network.port_opened', 'network.port_closed']

/** Types of the entries that logs are made of. */
export const ofAgents = [...runs, ...network]
export const ends: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.timeout'])

export function lineOfEntry({ ts, severity, entry_type, trace_id, summary }: Entry, who: string): LogLine {
  const source = entry_type.startsWith('network.') ? 'network' : containers.includes(entry_type) ? 'container' : 'run'
  return { ts, level: severity, source, who, run_id: source === 'run' ? (trace_id ?? null) : null, text: summary }
}

const sourceWidth = 9
const whoWidth = 12
const gap = 2

/** For people: when, what it comes from, who, and what. */
export function shown({ ts, level, source, who, text }: LogLine, paint: Paint, width: number): string {
  const time = new Date(ts).toLocaleTimeString('sv-SE')
  const lead = [
    paint('dim', time),
    paint('dim', pad(source, sourceWidth)),
    paint('cyan', pad(cleanLine(who), whoWidth)),
  ]
  const taken = time.length + sourceWidth + Math.max(whoWidth, widthOf(cleanLine(who))) + 3 * gap
  const words = clean(text)
    .split('\n')
    .map((line, n) => folded(line, width, { indent: '  ', taken: n ? 0 : taken, widthOf }))
  return `${lead.join('  ')}  ${paint(toneOf(level), words.join('\n'))}`
}

export const separated = ({ ts, level, source, who, run_id, text }: LogLine): string =>
  [ts, level, source, who, run_id ?? '', text].map(cleanLine).join('\t')
