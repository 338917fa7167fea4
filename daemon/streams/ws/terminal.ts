import type { WebSocket } from 'ws'
import type { App } from '#kernel/app'
import { credentialOf } from '#kernel/auth/authenticator'
import type { Actor } from '#kernel/feature'
import { Problem } from '#kernel/problem'
import type { ShellHandle, ShellSize, Viewer } from '#kernel/shells'
import { readSocketToken } from './token.ts'

const authMs = 10_000
const firstFrameLimit = 8 * 1024
/** Most bytes on their way to a client before the shell has to wait. */
const bufferedBytes = 1024 * 1024
const aliveMs = 30_000
const most = 500
const closeCodes = { ended: 1000, goingAway: 1001, refused: 1008, signedOut: 4401 } as const

type Frame = Record<string, unknown>

/** One client of `/ws/terminal`. docs/shell.md, "The protocol". */
export class Terminal implements Viewer {
  private readonly app: App
  private readonly socket: WebSocket
  private readonly signedIn: () => void
  private actor: Actor | null = null
  private shell: ShellHandle | null = null
  private slot: (() => void) | null = null
  private busy: Promise<void> = Promise.resolve()
  private wanted: ShellSize | null = null
  private resizing = false
  private alive = true
  private readonly authClock: NodeJS.Timeout
  private readonly aliveClock: NodeJS.Timeout

  constructor(app: App, socket: WebSocket, signedIn: () => void) {
    this.app = app
    this.socket = socket
    this.signedIn = signedIn
    this.authClock = setTimeout(() => this.refuse('authentication timed out', closeCodes.signedOut), authMs)
    this.aliveClock = setInterval(() => this.checkAlive(), aliveMs)
    socket.on('message', (data, binary) => this.receive(data as Buffer, binary))
    socket.on('ping', (data) => {
      if (socket.bufferedAmount < bufferedBytes) socket.pong(data)
    })
    socket.on('pong', () => {
      this.alive = true
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => this.cleanUp())
  }

  close(): void {
    this.socket.close(closeCodes.goingAway, 'the server stops')
  }

  output(chunk: Buffer): boolean {
    this.socket.send(chunk, { binary: true }, () => {
      if (this.socket.bufferedAmount < bufferedBytes / 2) this.shell?.proceed()
    })
    return this.socket.bufferedAmount < bufferedBytes
  }

  replaced(): void {
    this.shell = null
    this.tell('info', { message: 'Another connection has taken over', ended: 'replaced' })
    this.socket.close(closeCodes.ended, 'replaced')
  }

  ended(reason: string): void {
    this.shell = null
    this.tell('info', { message: 'The shell has ended', ended: reason })
    this.socket.close(closeCodes.ended, reason)
  }

  private checkAlive(): void {
    if (!this.alive) return void this.socket.terminate()
    this.alive = false
    this.socket.ping()
  }

  private cleanUp(): void {
    clearTimeout(this.authClock)
    clearInterval(this.aliveClock)
    this.shell?.unwatch(this)
    this.shell = null
    this.slot?.()
    this.slot = null
  }

  private tell(type: 'info' | 'error', members: Frame): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify({ type, ...members }))
  }

  private refuse(message: string, code: number, problem?: string): void {
    this.tell('error', { message, ...(problem && { code: problem }) })
    this.socket.close(code, message.slice(0, 100))
  }

  private receive(data: Buffer, binary: boolean): void {
    if (this.shell) return void this.use(data, binary)
    this.socket.pause()
    this.busy = this.busy
      .then(() => this.enter(data, binary))
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.socket.resume())
  }

  private use(data: Buffer, binary: boolean): void {
    if (binary) this.type(data)
    else this.control(parse(data) ?? {})
  }

  private fail(error: unknown): void {
    if (error instanceof Problem) return void this.refuse(error.message, closeCodes.refused, error.code)
    this.app.log.error({ err: error }, 'A terminal failed')
    this.refuse('internal error', closeCodes.refused, 'internal')
  }

  private type(data: Buffer): void {
    if (this.shell!.write(data)) return
    this.socket.pause()
    this.shell!.onDrain(() => this.socket.resume())
  }

  private control({ type, rows, cols }: Frame): void {
    if (type === 'resize') this.resize(sizeOf(rows, cols))
    else if (type === 'close') void this.shell?.end()
  }

  /** Sizes that come while one is being set are skipped, but for the last. */
  private resize(size: ShellSize): void {
    this.wanted = size
    if (this.resizing) return
    this.resizing = true
    const next = async () => {
      for (let it = this.wanted; it; it = this.wanted) {
        this.wanted = null
        await this.shell?.resize(it)
      }
    }
    next()
      .catch(() => {})
      .finally(() => {
        this.resizing = false
      })
  }

  private async enter(data: Buffer, binary: boolean): Promise<void> {
    if (this.socket.readyState !== this.socket.OPEN) return
    // It waited for the shell.
    if (this.shell) return void this.use(data, binary)
    const frame = binary || data.length > firstFrameLimit ? null : parse(data)
    if (!this.actor) await this.authenticate(frame ?? {})
    else await this.begin(this.actor, frame ?? {})
  }

  private async authenticate({ type, token }: Frame): Promise<void> {
    if (type !== 'auth' || typeof token !== 'string')
      return this.refuse('the first frame must be {"type":"auth","token":...}', closeCodes.signedOut)
    const bearer = await readSocketToken(this.app, token)
    if (!bearer) return this.refuse('invalid token', closeCodes.signedOut)
    const credential = credentialOf(bearer)
    if (credential && !this.app.auth.holds(credential)) return this.refuse('session_revoked', closeCodes.signedOut)
    this.slot = this.app.streams.take(bearer.userId)
    if (!this.slot) return this.refuse('too many streams are open for this user', closeCodes.refused, 'rate_limited')
    clearTimeout(this.authClock)
    const { userId: id, email, token: cliToken, session } = bearer
    this.actor = { type: 'user', id, email, workspace: '', role: null, token: cliToken, session }
    this.signedIn()
  }

  private async begin(actor: Actor, frame: Frame): Promise<void> {
    const { mode, crew_id, agent_slug, shell_id, token, offset, rows, cols } = frame
    const size = sizeOf(rows, cols)
    if (mode === 'shell' && typeof crew_id === 'string') {
      const slug = typeof agent_slug === 'string' && agent_slug ? agent_slug : undefined
      const shell = await this.app.shells.open(actor, { crew_id, agent_slug: slug }, size)
      this.show(shell, 0)
    } else if (mode === 'attach' && typeof shell_id === 'string' && typeof token === 'string') {
      this.show(this.app.shells.attach(actor, shell_id, token), Number.isInteger(offset) ? (offset as number) : 0)
      this.resize(size)
    } else this.refuse('ask for {"mode":"shell","crew_id":...} or go on with a shell of yours', closeCodes.refused)
  }

  private show(shell: ShellHandle, offset: number): void {
    const { content, from } = shell.watch(this, offset)
    this.shell = shell
    const { id: shell_id, token, agent } = shell
    this.tell('info', { message: `You are ${agent}`, shell_id, token, agent, offset: from, truncated: from > offset })
    if (content.length) this.output(content)
    if (this.socket.readyState !== this.socket.OPEN) {
      shell.unwatch(this)
      this.shell = null
    }
  }
}

const sizeOf = (rows: unknown, cols: unknown): ShellSize => ({ rows: side(rows, 24), cols: side(cols, 80) })

const side = (value: unknown, usual: number): number =>
  Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, most) : usual

function parse(data: Buffer): Frame | null {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Frame) : null
  } catch {
    return null
  }
}
