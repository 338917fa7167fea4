import { setTimeout as pause } from 'node:timers/promises'
import type { RawData, WebSocket } from 'ws'
import { type Connection, UnreachableError } from '#client'
import { dial, socketToken } from '#client/socket'
import { InputError } from '../input.ts'

/** The terminal in front of the person. */
export interface Screen {
  size(): { rows: number; cols: number }
  show(bytes: Buffer): void
  /** Something about the connection. */
  note(text: string): void
}

/** What the server says beside output. */
interface Told {
  type: 'info' | 'error'
  message: string
  code?: string
  shell_id?: string
  token?: string
  offset?: number
  truncated?: boolean
  ended?: string
}

/** How long a lost shell is kept by the server. */
const patienceMs = 60_000
const retryMs = 1000
const interrupt = 3

/** A shell in a crew, over any number of connections. */
export class ShellSession {
  private readonly connection: Connection
  private readonly screen: Screen
  private readonly asked: { crew_id: string; agent_slug?: string }
  private socket: WebSocket | null = null
  private held: { shell_id: string; token: string } | null = null
  private seen = 0
  private typed: Buffer[] = []
  private readonly leaving = new AbortController()

  constructor(connection: Connection, asked: ShellSession['asked'], screen: Screen) {
    this.connection = connection
    this.asked = asked
    this.screen = screen
  }

  /** While nobody is there to take it, Ctrl-C leaves. */
  type(bytes: Buffer): void {
    if (this.open) this.socket!.send(bytes)
    else if (bytes.includes(interrupt)) this.leave()
    else if (this.typed.length < 1000) this.typed.push(bytes)
  }

  resize(): void {
    if (this.open) this.socket!.send(JSON.stringify({ type: 'resize', ...this.screen.size() }))
  }

  /** Leaves the shell, which ends with it. */
  leave(): void {
    if (this.open) this.socket!.send(JSON.stringify({ type: 'close' }))
    else this.leaving.abort()
  }

  /** Resolves with the reason once the shell has ended; rejects when it is refused, or lost for too long. */
  async run(): Promise<string> {
    for (let lostAt = 0; ; await this.rest()) {
      try {
        if (this.leaving.signal.aborted) return 'left'
        const ended = await this.once(() => {
          if (lostAt) this.screen.note('Connected again.')
          lostAt = 0
        })
        if (ended !== null) return ended
      } catch (error) {
        if (this.leaving.signal.aborted) return 'left'
        if (!this.held || !(error instanceof UnreachableError)) throw error
      }
      if (!lostAt) this.screen.note('The connection is lost; trying again for a minute.')
      lostAt ||= Date.now()
      if (Date.now() - lostAt > patienceMs)
        throw new UnreachableError(
          this.connection.target.key,
          'LOST',
          'The connection was lost for more than a minute, so the shell is gone.',
        )
    }
  }

  private rest(): Promise<unknown> {
    return pause(retryMs, undefined, { signal: this.leaving.signal }).catch(() => undefined)
  }

  private get open(): boolean {
    return this.held !== null && this.socket?.readyState === 1
  }

  /** One connection, to its end; null when it was lost. */
  private async once(connected: () => void): Promise<string | null> {
    const token = await socketToken(this.connection, this.leaving.signal)
    const socket = await dial(this.connection, '/ws/terminal', this.leaving.signal)
    this.socket = socket
    const place = this.held ? { mode: 'attach', ...this.held, offset: this.seen } : { mode: 'shell', ...this.asked }
    return new Promise((resolve, reject) => {
      socket.on('message', (data: RawData, binary: boolean) => {
        if (binary) return this.output(data as Buffer)
        const told = JSON.parse(String(data)) as Told
        if (told.type === 'error') reject(this.refusal(told))
        else if (told.ended !== undefined) resolve(told.ended)
        else {
          connected()
          this.began(told)
        }
      })
      socket.on('error', () => socket.terminate())
      socket.on('close', () => resolve(null))
      socket.send(JSON.stringify({ type: 'auth', token }))
      socket.send(JSON.stringify({ ...place, ...this.screen.size() }))
    })
  }

  private refusal({ message, code }: Told): Error {
    if (this.held && code === 'not_found') return new Error('The server has this shell no more.')
    return new InputError(message)
  }

  private began({ shell_id, token, offset = 0, truncated }: Told): void {
    if (!shell_id || !token) return
    this.held = { shell_id, token }
    this.seen = offset
    if (truncated) this.screen.note('Some of what was shown meanwhile is lost.')
    for (const bytes of this.typed.splice(0)) this.socket!.send(bytes)
  }

  private output(bytes: Buffer): void {
    this.seen += bytes.length
    this.screen.show(bytes)
  }
}
