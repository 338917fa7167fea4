import { type Connection, locate } from '#client'
import type { LogFrame } from '#contract/frames'
import { readLog } from '../runs/follow.ts'
import { LogLines } from '../runs/log-lines.ts'
import { Reading } from '../runs/reading.ts'
import type { LogLine } from './line.ts'

const plain = (_tone: unknown, text: string): string => text

/** What one run was asked, did and said, as lines; each once, however often it is read. */
export class RunReader {
  readonly runId: string
  readonly startedAt: string
  /** It goes on. */
  open = false
  private readonly who: string
  private readonly connection: Connection
  private readonly reading = new Reading()
  private readonly told = new LogLines(plain)
  private last: string

  constructor(connection: Connection, runId: string, who: string, startedAt: string) {
    this.connection = connection
    this.runId = runId
    this.who = who
    this.startedAt = this.last = startedAt
  }

  /** `follow`: until the run is over. */
  async *read(follow: boolean, onState: (lost?: Error) => void): AsyncGenerator<LogLine> {
    const asked = locate('runs.logs', { runId: this.runId, query: { follow: follow || undefined } })
    for await (const frame of readLog(this.connection, asked, onState, this.reading)) {
      // The end of what there is now is no end of what is said.
      if (frame.type === 'stream.end') this.open = frame.reason === 'not_followed'
      if (frame.type !== 'stream.end' || !this.open) yield* this.lines(frame)
    }
  }

  private lines(frame: LogFrame): LogLine[] {
    if (frame.type.startsWith('stream.') && frame.type !== 'stream.end') return []
    this.last = timeOf(frame) ?? this.last
    const level = frame.type === 'error' || failed(frame) ? 'error' : 'info'
    return this.told
      .take(frame)
      .map((text) => ({ ts: this.last, level, source: 'run', who: this.who, run_id: this.runId, text }) as const)
  }
}

/** When it was kept, or now for what is live; null for what has no time of its own. */
function timeOf(frame: LogFrame): string | null {
  if ('ts' in frame && frame.ts) return frame.ts
  return 'seq' in frame && frame.seq !== undefined ? new Date().toISOString() : null
}

const failed = (frame: LogFrame): boolean => frame.type === 'tool_result' && frame.metadata.is_error === true
