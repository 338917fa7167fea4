import type { LiveFrame, Runs, Watch } from '#kernel/runs'

/** The way out to one client. */
export interface Outlet {
  /** Drops the frame when too much waits already. */
  send(frame: string | Buffer): void
  /** There is room for more without dropping. */
  readonly roomy: boolean
  /** Who looks on. */
  readonly user?: string | undefined
}

/** How far a client may be behind, in frames and in characters; past that it starts anew. */
const backlogLimit = 5000
const backlogSize = 16 * 1024 * 1024

const textOf = (channel: string, { type, seq, body }: LiveFrame): string =>
  type === 'run_begin'
    ? `{"type":"run_begin","channel":${JSON.stringify(channel)},"payload":{"from_seq":${seq}},"seq":${seq}}`
    : `{"type":"chat_event","channel":${JSON.stringify(channel)},"payload":${body},"seq":${seq}}`

const written = new WeakMap<LiveFrame, Buffer>()

/** A frame as its channel sends it: all who are slow to take it wait for the same bytes. */
function bytesOf(channel: string, frame: LiveFrame): Buffer {
  const known = written.get(frame)
  if (known) return known
  const bytes = Buffer.from(textOf(channel, frame))
  written.set(frame, bytes)
  return bytes
}

/**
 * The frames of one chat on their way to one client: live ones at once, missed ones as fast as the client takes them,
 * in order.
 */
export class ChatFeed {
  private readonly runs: Runs
  private readonly chatId: string
  private readonly channel: string
  private readonly out: Outlet
  private readonly onGone: () => void
  private watch: Watch | null = null
  private backlog: LiveFrame[] = []
  private size = 0
  /** Stays after the backlog is sent. */
  subscribed = false

  constructor(runs: Runs, chatId: string, out: Outlet, onGone: () => void) {
    this.runs = runs
    this.chatId = chatId
    this.channel = `session:${chatId}`
    this.out = out
    this.onGone = onGone
  }

  subscribe(): void {
    this.subscribed = true
    this.watch ??= this.open(null)
  }

  /** Sends what an active run said after `lastSeq`, then goes on live when subscribed. */
  resume(lastSeq: number): void {
    this.watch?.close()
    this.empty()
    this.watch = this.open(lastSeq)
    if (this.watch.active && this.watch.truncated) this.reset()
    else if (this.watch.active) for (const frame of this.watch.replay) this.keep(frame)
    this.pump()
  }

  /** Called when the client took something. */
  pump(): void {
    while (this.backlog.length && this.out.roomy) {
      const frame = this.backlog.shift()!
      this.size -= frame.body.length
      this.out.send(bytesOf(this.channel, frame))
    }
    if (!this.backlog.length && !this.subscribed) this.close()
  }

  /** True when there is nothing left to do for the client. */
  get idle(): boolean {
    return this.watch === null
  }

  close(): void {
    this.watch?.close()
    this.watch = null
    this.empty()
    this.subscribed = false
  }

  private open(after: number | null): Watch {
    return this.runs.watch(this.chatId, after, {
      user: this.out.user,
      frame: (frame) => this.take(frame),
      closed: () => {
        this.close()
        this.onGone()
      },
    })
  }

  private take(frame: LiveFrame): void {
    // A frame that is dropped would leave a gap, at which a client stops showing the run.
    if (!this.backlog.length && this.out.roomy) return void this.out.send(bytesOf(this.channel, frame))
    if (this.backlog.length >= backlogLimit || this.size >= backlogSize) return void this.reset()
    this.keep(frame)
  }

  private keep(frame: LiveFrame): void {
    this.backlog.push(frame)
    this.size += frame.body.length
  }

  private empty(): void {
    this.backlog = []
    this.size = 0
  }

  private reset(): void {
    this.empty()
    this.out.send(JSON.stringify({ type: 'resume_reset', channel: this.channel }))
  }
}
