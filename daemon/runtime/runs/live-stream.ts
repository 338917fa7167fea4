import type { ChatEvent } from '#contract/frames'
import type { LiveFrame, Watch, Watcher } from '#kernel/runs'

export const replayFrames = 5000
/** Counted in characters of JSON. */
export const replaySize = 8 * 1024 * 1024

/**
 * The live side of one chat: numbers its frames, keeps those of the last run for who comes late, hands them to who
 * watches.
 */
export class LiveStream {
  private frames: LiveFrame[] = []
  /** How many of `frames`, from the front, are let go of already. */
  private dropped = 0
  private size = 0
  private overflowed = false
  private seq: number
  private running = false
  /** With the number up to which each of them has everything. */
  private readonly watchers = new Map<Watcher, number>()

  /** `lastSeq` is the newest number that the chat ever gave out. */
  constructor(lastSeq: number) {
    this.seq = lastSeq
  }

  get lastSeq(): number {
    return this.seq
  }

  get active(): boolean {
    return this.running
  }

  get watched(): boolean {
    return this.watchers.size > 0
  }

  isWatchedBy(user: string): boolean {
    return [...this.watchers.keys()].some((watcher) => watcher.user === user)
  }

  /** Begins a run at this number at the earliest; what the last one left is let go. */
  begin(seq: number): void {
    this.clear()
    this.running = true
    this.skipTo(seq)
    this.push({ type: 'run_begin', from_seq: this.seq + 1 })
  }

  /** The next frame gets this number, or a later one when this is taken. */
  skipTo(seq: number): void {
    this.seq = Math.max(this.seq, seq - 1)
  }

  push(event: ChatEvent): void {
    const frame = { seq: ++this.seq, type: event.type, body: JSON.stringify(event) }
    this.frames.push(frame)
    this.size += frame.body.length
    while (this.frames.length - this.dropped > replayFrames || this.size > replaySize) this.drop()
    // After a restart frames are numbered as they were before, so who saw some of them is passed over.
    for (const [watcher, has] of this.watchers) if (frame.seq > has) watcher.frame(frame)
  }

  end(): void {
    this.running = false
  }

  /** Lets go of what is held for late comers. */
  clear(): void {
    this.frames = []
    this.dropped = 0
    this.size = 0
    this.overflowed = false
  }

  watch(after: number, watcher: Watcher): Watch {
    this.watchers.set(watcher, this.running ? after : Math.min(after, this.seq))
    const held = this.frames.slice(this.dropped)
    const oldest = held[0]?.seq ?? this.seq + 1
    return {
      active: this.running,
      lastSeq: this.seq,
      replay: held.filter((frame) => frame.seq > after),
      truncated: this.overflowed && after < oldest - 1,
      close: () => this.watchers.delete(watcher),
    }
  }

  close(): void {
    for (const watcher of [...this.watchers.keys()]) watcher.closed()
    this.watchers.clear()
    this.clear()
  }

  private drop(): void {
    this.size -= this.frames[this.dropped]!.body.length
    this.dropped++
    this.overflowed = true
    // Cutting the array for every frame would copy it each time.
    if (this.dropped < 1000) return
    this.frames = this.frames.slice(this.dropped)
    this.dropped = 0
  }
}
