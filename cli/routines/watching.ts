import type { Client, Connection } from '#client'
import { onwards, tellState } from '../journal/onwards.ts'
import { newest, type Query } from '../journal/past.ts'
import { span } from '../output/cell.ts'
import { cleanLine } from '../output/clean.ts'
import type { Printer } from '../output/printer.ts'
import { shortIds } from '../output/short-id.ts'
import { shorten } from '../output/width.ts'
import type { RunShown } from '../views/routines.ts'

interface Watching {
  api: Client
  connection: Connection
  out: Printer
  at: { workspaceId: string; routineRunId: string }
}

const over = ({ ended_at }: RunShown) => ended_at !== ''

/** How a run ended, as an exit code. */
export const exitOf = ({ status }: RunShown): number =>
  status === 'failed' || status === 'interrupted' ? 1 : status === 'cancelled' ? 2 : 0

/** Shows the steps of a run as they change: drawn anew at a terminal, elsewhere a line for each change. */
export async function watchRoutine({ api, connection, out, at }: Watching): Promise<RunShown> {
  const screen = out.terminal ? redrawn(process.stdout) : changes((text) => process.stdout.write(`${text}\n`))
  const query = { trace_id: at.routineRunId }
  const timer = out.terminal ? setInterval(() => screen.again(), 1000) : undefined
  let run = await api.routines.result({ ...at, query: {} })
  try {
    // The start of the run is an entry of the past, so that it is read again once nothing is missed any more.
    for await (const _ of onwards({ api, connection, query, past: past(api, query), onState: tellState(out) })) {
      run = await api.routines.result({ ...at, query: {} })
      screen.draw(run)
      if (over(run)) return run
    }
    return run
  } finally {
    clearInterval(timer)
  }
}

async function* past(api: Client, query: Query) {
  yield* await newest(api, query, 1)
}

const marks: Readonly<Record<string, string>> = {
  completed: '✓',
  skipped: '-',
  failed: '✗',
  cancelled: '✗',
  running: '▸',
  retrying: '↻',
  waiting: '?',
}
const errorWidth = 60

/** One line for each step: `▸ review  agent_run  running  12 s`. */
export function linesOf({ steps }: Pick<RunShown, 'steps'>, now: number): string[] {
  return steps.map((step) => {
    const { key, type, status, attempt, started_at, ended_at, error_message } = step
    const lasted = Math.max(0, Math.round(((ended_at ? Date.parse(ended_at) : now) - Date.parse(started_at)) / 1000))
    return [
      `${'  '.repeat(key.split('].').length - 1)}${marks[status] ?? '·'} ${cleanLine(key)}`,
      type,
      status,
      span(lasted),
      attempt > 1 && `try ${attempt}`,
      status === 'waiting' && waitsFor(step),
      error_message && shorten(cleanLine(error_message.split('\n')[0]!), errorWidth),
    ]
      .filter(Boolean)
      .map((word) => cleanLine(String(word)))
      .join('  ')
  })
}

/** What a step waits for, and what a person may type. */
function waitsFor({ event_type, waitpoint_id, wake_at, type }: RunShown['steps'][number]): string | false {
  if (waitpoint_id) return `muster approve ${shortIds([waitpoint_id])[0]}`
  if (event_type) return `for ${cleanLine(event_type)}`
  return type === 'wait' && wake_at !== null && `until ${wake_at}`
}

const headOf = ({ pipeline_slug, status, id, cost_usd }: RunShown) =>
  cleanLine(`${pipeline_slug}: ${status}  ${id}${cost_usd ? `  $${cost_usd.toFixed(2)}` : ''}`)

/** The steps in the same place, as long as they fit on the screen. */
function redrawn(stdout: NodeJS.WriteStream) {
  let last: RunShown | undefined
  let drawn = 0
  function draw(run: RunShown): void {
    last = run
    const lines = [headOf(run), ...linesOf(run, Date.now())]
    const room = stdout.rows - 1
    const shown = lines.length > room ? [lines[0]!, ...lines.slice(lines.length - room + 1)] : lines
    const cut = shown.map((line) => [...line].slice(0, stdout.columns - 1).join(''))
    stdout.write(`${drawn ? `\u001b[${drawn}A\r` : ''}\u001b[J${cut.join('\n')}\n`)
    drawn = cut.length
  }
  return { draw, again: () => last && draw(last) }
}

/** A line for each step whose state changed. */
function changes(write: (text: string) => void) {
  const known = new Map<string, string>()
  return {
    draw(run: RunShown) {
      for (const { key, type, status, error_message } of run.steps)
        tell(key, [key, type, status, ...(error_message ? [cleanLine(error_message)] : [])].join('\t'))
      tell('', `${run.pipeline_slug}\t${run.status}`)
    },
    again: () => undefined,
  }
  function tell(id: string, text: string): void {
    if (known.get(id) !== text) write(text.split('\t').map(cleanLine).join('\t'))
    known.set(id, text)
  }
}
