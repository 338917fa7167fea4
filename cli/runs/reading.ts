import type { LogFrame } from '#contract/frames'

/** How far into a run: how often something was asked, and since then the characters or pieces of each kind. */
interface Place {
  asked: number
  done: Map<string, number>
}

const start = (): Place => ({ asked: 0, done: new Map() })

/** Kinds that are kept in larger pieces than they came in. */
const joined = new Set<string>(['text', 'thinking'])

/** What was read of a run's log, so that one that is read again goes on where the reading broke off. */
export class Reading {
  private lastSeq = 0
  private furthest = start()
  private here = start()

  /** The log is read from its beginning again. */
  again(): void {
    this.here = start()
  }

  /** The part of a frame that was not read before; null when all of it was. */
  unread(frame: LogFrame): LogFrame | null {
    if (frame.type.startsWith('stream.')) return frame
    const size = this.advance(frame)
    const over = this.beyond(frame.type)
    const left = numbered(frame) ? (frame.seq > this.lastSeq ? size : 0) : Math.min(over, size)
    if (numbered(frame)) this.lastSeq = Math.max(this.lastSeq, frame.seq)
    if (over > 0) this.furthest = { asked: this.here.asked, done: new Map(this.here.done) }
    if (left <= 0) return null
    return left === size || !joined.has(frame.type) ? frame : ({ ...frame, content: ending(frame, left) } as LogFrame)
  }

  private advance(frame: LogFrame): number {
    const size = sizeOf(frame)
    if (frame.type === 'user_message') this.here = { asked: this.here.asked + 1, done: new Map() }
    this.here.done.set(frame.type, (this.here.done.get(frame.type) ?? 0) + size)
    return size
  }

  /** How much of this kind lies between what was read and here. */
  private beyond(type: string): number {
    if (this.here.asked !== this.furthest.asked) return this.here.asked > this.furthest.asked ? Infinity : 0
    return (this.here.done.get(type) ?? 0) - (this.furthest.done.get(type) ?? 0)
  }
}

const numbered = (frame: LogFrame): frame is LogFrame & { seq: number } => 'seq' in frame && frame.seq !== undefined

const contentOf = (frame: LogFrame): string => ('content' in frame && frame.content) || ''

/** Of a mark where something was left out: how much that was. */
function sizeOf(frame: LogFrame): number {
  if (!joined.has(frame.type)) return 1
  const { left_out_chars: leftOut } = ('metadata' in frame ? (frame.metadata ?? {}) : {}) as { left_out_chars?: number }
  return leftOut ?? contentOf(frame).length
}

const ending = (frame: LogFrame, length: number): string => contentOf(frame).slice(-length)
