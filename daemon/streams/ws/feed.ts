import type { LiveFrame, Runs, Watch } from '#kernel/runs'

/** Sends frames to one client. */
export interface FrameSink {
  /** Drops the frame when the buffer is full. */
  send(frame: string | Buffer): void
  /** Whether `send` would not drop a frame. */
  readonly roomy: boolean
  /** The user who watches. */
  readonly user?: string | undefined
}

/** Most frames and characters that a client may be behind; beyond that it has to start over. */
const backlogLimit = 5000
const backlogSize = 16 * 1024 * 1024

const textOf = (channel: string, { type, seq, body }: LiveFrame): string =>
  type === 'run_begin'
    ? `{"type":"run_begin","channel":${JSON.stringify(channel)},"payload":{"from_seq":${seq}},"seq":${seq}}`
    : `{"type":"chat_event","channel":${JSON.stringify(channel)},"payload":${body},"seq":${seq}}`

const written = new WeakMap<LiveFrame, Buffer>()

/** A frame encoded for its channel, once for all clients. */
function bytesOf(channel: string, frame: LiveFrame): Buffer {
  const known = written.get(frame)
  if (known) return known
  const bytes = Buffer.from(textOf(channel, frame))
  written.set(frame, bytes)
  return bytes
}

/** Sends the frames of one chat to one client, in order: live ones at once, missed ones as fast as the client reads. */
export class ChatFeed {
  private readonly runs: Runs
  private readonly chatId: string
  private readonly channel: string
  private readonly out: FrameSink
  private readonly onGone: () => void
  private watch: Watch | null = null
  private backlog: LiveFrame[] = []
  private size = 0
  /** Continues with live frames after the backlog. */
  subscribed = false

  constructor(runs: Runs, chatId: string, out: FrameSink, onGone: () => void) {
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

  /** Sends the frames of an active run after `lastSeq`, then live ones when subscribed. */
  resume(lastSeq: number): void {
    this.watch?.close()
    this.empty()
    this.watch = this.open(lastSeq)
    if (this.watch.active && this.watch.truncated) this.reset()
    else if (this.watch.active) for (const frame of this.watch.replay) this.keep(frame)
    this.pump()
  }

  /** Called when the client has read something. */
  pump(): void {
    while (this.backlog.length && this.out.roomy) {
      const frame = this.backlog.shift()!
      this.size -= frame.body.length
      this.out.send(bytesOf(this.channel, frame))
    }
    if (!this.backlog.length && !this.subscribed) this.close()
  }

  /** True when the feed has nothing left to send. */
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
    // Never dropped: at a gap a client stops showing the run.
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
