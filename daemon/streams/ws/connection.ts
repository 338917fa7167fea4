import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { App } from '#kernel/app'
import { credentialOf } from '#kernel/auth/authenticator'
import type { Actor } from '#kernel/feature'
import { perform } from '#kernel/perform'
import { Problem } from '#kernel/problem'
import { mayHear } from './channels.ts'
import { ChatFeed, type FrameSink } from './feed.ts'
import { type ClientFrame, members, parse } from './frame.ts'
import { type Frame, Inbox } from './inbox.ts'
import { Outbox } from './outbox.ts'
import { type Bearer, readSocketToken } from './token.ts'

const authMs = 10_000
/** Time for a client to read the last frames and to close; shorter before sign-in and at shutdown. */
export const closingMs = 10_000
const hurriedMs = 2_000
/** Most bytes that a client may still send before its close frame. They are discarded. */
const closingBytes = 64 * 1024
const channelLimit = 256
/** Largest first frame, which holds only a token. */
const firstFrameLimit = 8 * 1024

export const closeCodes = { goingAway: 1001, broken: 1002, flooding: 1008, slow: 1013, signedOut: 4401 } as const

/** Subscriptions to broadcasts. */
export interface Subscriptions {
  join(channel: string, connection: Connection): void
  leave(channel: string, connection: Connection): void
}

/** The client's side of a connection. */
export interface Peer {
  /** The stream below the socket. */
  stream: Duplex
  remoteAddress: string | null
  userAgent: string | null
  /** Called once the client has sent a valid token. */
  signedIn(): void
}

/** One WebSocket client. docs/rules/streams.md, "WebSocket". */
export class Connection implements FrameSink {
  private readonly app: App
  private readonly socket: WebSocket
  private readonly subscriptions: Subscriptions
  private readonly peer: Peer
  private bearer: Bearer | null = null
  private readonly channels = new Set<string>()
  private readonly feeds = new Map<string, ChatFeed>()
  private readonly authClock: NodeJS.Timeout
  private readonly inbox: Inbox
  private readonly outbox: Outbox
  private closing: NodeJS.Timeout | undefined
  private slot: (() => void) | null = null
  private over = false
  private alive = true

  constructor(app: App, socket: WebSocket, subscriptions: Subscriptions, peer: Peer) {
    this.app = app
    this.peer = peer
    this.socket = socket
    this.subscriptions = subscriptions
    this.authClock = setTimeout(() => this.reject('error', 'authentication timed out'), authMs)
    this.outbox = new Outbox(socket, {
      more: () => {
        for (const feed of this.feeds.values()) this.pump(feed)
      },
      tooSlow: () => this.close(closeCodes.slow, 'slow consumer'),
    })
    this.inbox = new Inbox(socket, {
      take: (frame) => this.take(frame),
      flooded: () => this.refuse('too many frames', closeCodes.flooding),
      alive: () => {
        this.alive = true
      },
    })
    // The frame was too large or invalid. The library has sent the close frame already.
    socket.on('error', () => this.close(closeCodes.broken, ''))
    socket.on('close', () => {
      clearTimeout(this.closing)
      this.cleanUp()
    })
  }

  get user(): string | undefined {
    return this.bearer?.userId
  }

  /** Id of the token or session that the client signed in with. */
  get credential(): string | null {
    return this.bearer && credentialOf(this.bearer)
  }

  get roomy(): boolean {
    return this.outbox.roomy
  }

  send(frame: string | Buffer): void {
    this.outbox.send(frame)
  }

  /** Every 30 s: sends a keep-alive frame, and checks that the client may still be connected and subscribed. */
  check(): void {
    if (!this.alive) return void this.socket.terminate()
    this.alive = false
    this.socket.ping()
    this.tell({ type: 'ping', payload: {} })
    if (!this.bearer) return
    if (this.credential && !this.app.auth.holds(this.credential)) return void this.signOut()
    this.checkAccess()
  }

  /** Drops subscriptions to channels that the client may no longer hear. */
  checkAccess(): void {
    for (const channel of this.channels) {
      if (this.bearer && mayHear(this.app, this.bearer.userId, channel)) continue
      this.unsubscribe(channel)
      this.fail(channel, 'access revoked')
    }
  }

  /** Disconnects a client that reads nothing. */
  checkProgress(): void {
    if (this.outbox.stalled) this.socket.terminate()
  }

  signOut(): void {
    const reason = this.bearer?.session ? 'session_revoked' : 'token_revoked'
    this.tell({ type: 'session_revoked', payload: { reason, message: reason } })
    this.close(closeCodes.signedOut, reason)
  }

  /** Starts the closing handshake, once. Later frames of the client are discarded; too many end the connection. */
  close(code: number, reason: string): void {
    if (this.over) return
    const stranger = this.bearer === null
    this.inbox.stop()
    this.cleanUp()
    let left = closingBytes
    this.peer.stream.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) this.socket.terminate()
    })
    this.socket.close(code, reason)
    this.closing = setTimeout(
      () => this.socket.terminate(),
      stranger || code === closeCodes.goingAway ? hurriedMs : closingMs,
    )
  }

  private tell(frame: object): void {
    this.send(JSON.stringify(frame))
  }

  private fail(channel: string, message: string, code?: string): void {
    this.tell({ type: 'error', channel, payload: { message, error: message, ...(code && { code }) } })
  }

  private reject(type: 'error' | 'session_revoked', message: string): void {
    this.refuse(message, closeCodes.signedOut, type)
  }

  private refuse(message: string, code: number, type: 'error' | 'session_revoked' = 'error'): void {
    this.tell({
      type,
      channel: '',
      payload: { message, error: message, ...(type === 'session_revoked' && { reason: message }) },
    })
    this.close(code, message)
  }

  private async take({ data, binary }: Frame): Promise<void> {
    try {
      if (!this.bearer && data.length > firstFrameLimit) return this.reject('error', 'the first frame is too large')
      const frame = binary ? null : parse(data.toString('utf8'))
      if (!this.bearer) await this.authenticate(frame ?? {})
      else if (frame) await this.act(this.bearer, frame)
      else this.fail('', 'A frame must be a JSON object')
    } catch (error) {
      this.app.log.error({ err: error }, 'A socket frame failed')
      this.fail('', 'internal error', 'internal')
    }
  }

  private async authenticate({ type, token }: ClientFrame): Promise<void> {
    if (type !== 'auth' || typeof token !== 'string')
      return this.reject('error', 'the first frame must be {"type":"auth","token":...}')
    const bearer = await readSocketToken(this.app, token)
    if (this.over) return
    if (!bearer) return this.reject('error', 'invalid token')
    const credential = credentialOf(bearer)
    if (credential && !this.app.auth.holds(credential))
      return this.reject('session_revoked', bearer.session ? 'session_revoked' : 'token_revoked')
    this.slot = this.app.streams.take(bearer.userId)
    if (!this.slot) return this.refuse('too many streams are open for this user', closeCodes.flooding)
    clearTimeout(this.authClock)
    this.bearer = bearer
    this.peer.signedIn()
    this.tell({ type: 'ready', payload: { user_id: bearer.userId } })
  }

  private async act(bearer: Bearer, { type, channel, payload }: ClientFrame): Promise<void> {
    if (type === 'ping') this.tell({ type: 'pong', payload: {} })
    else if (type === 'subscribe') this.subscribe(bearer, String(channel ?? ''))
    else if (type === 'unsubscribe') this.unsubscribe(String(channel ?? ''))
    else if (type === 'send_message' || type === 'cancel_message' || type === 'resume')
      await this.speak(bearer, type, members(payload))
    else if (type !== 'pong' && type !== 'auth')
      this.fail('', `unknown frame type ${JSON.stringify(type) ?? 'undefined'}`)
  }

  /** Handles frames about a chat. Without a chat id, the error has no channel: it concerns the connection. */
  private async speak(
    bearer: Bearer,
    type: 'send_message' | 'cancel_message' | 'resume',
    { session_id, ...payload }: Record<string, unknown>,
  ): Promise<void> {
    if (typeof session_id !== 'string' || session_id === '')
      return this.fail('', 'session_id is required', 'missing_field')
    if (type === 'send_message') await this.sendMessage(bearer, session_id, payload)
    else if (type === 'cancel_message') await this.cancelMessage(bearer, session_id)
    else this.resume(bearer, session_id, payload)
  }

  private subscribe(bearer: Bearer, channel: string): void {
    if (this.over) return
    if (!mayHear(this.app, bearer.userId, channel)) return void this.fail(channel, 'access denied')
    if (this.channels.size >= channelLimit && !this.channels.has(channel))
      return void this.fail(channel, `at most ${channelLimit} channels`)
    this.channels.add(channel)
    this.subscriptions.join(channel, this)
    if (channel.startsWith('session:')) this.feedOf(channel)?.subscribe()
  }

  private unsubscribe(channel: string): void {
    if (!this.channels.delete(channel)) return
    this.subscriptions.leave(channel, this)
    this.feeds.get(channel)?.close()
    this.feeds.delete(channel)
  }

  private feedOf(channel: string): ChatFeed | null {
    const known = this.feeds.get(channel)
    if (known || !this.app.runs.available) return known ?? null
    const feed = new ChatFeed(this.app.runs, channel.slice('session:'.length), this, () => this.unsubscribe(channel))
    this.feeds.set(channel, feed)
    return feed
  }

  private pump(feed: ChatFeed): void {
    feed.pump()
    if (feed.idle) for (const [channel, it] of this.feeds) if (it === feed) this.feeds.delete(channel)
  }

  private resume(bearer: Bearer, chatId: string, { last_seq }: Record<string, unknown>): void {
    if (this.over) return
    const channel = `session:${chatId}`
    if (!mayHear(this.app, bearer.userId, channel)) return void this.fail(channel, 'access denied')
    if (!Number.isInteger(last_seq) || (last_seq as number) < 0)
      return void this.fail(channel, 'last_seq must be a whole number')
    const feed = this.feedOf(channel)
    feed?.resume(last_seq as number)
    if (feed?.idle) this.feeds.delete(channel)
  }

  private async sendMessage(bearer: Bearer, chatId: string, body: Record<string, unknown>): Promise<void> {
    const channel = `session:${chatId}`
    const refused = await this.ask(bearer, 'chats.send', { chatId, body })
    if (!refused) return
    const { code, message, extra } = refused
    const event = (type: string, details: object) =>
      this.tell({ type: 'chat_event', channel, payload: { type, content: message, metadata: details } })
    if (code === 'chat_busy' && extra['triggered_by'] !== bearer.userId) event('agent_busy', { code })
    else if (code === 'agent_pending_review' || code === 'agent_expired')
      event('error', { reason: extra['reason'], agent_id: extra['agent_id'], code })
    else this.fail(channel, message, code)
  }

  private async cancelMessage(bearer: Bearer, chatId: string): Promise<void> {
    const refused = await this.ask(bearer, 'chats.cancel', { chatId })
    if (refused) this.fail(`session:${chatId}`, refused.message, refused.code)
  }

  /** Performs an operation, with the same schemas and rules as over HTTP. */
  private async ask(bearer: Bearer, name: string, input: { chatId: string; body?: object }): Promise<Problem | null> {
    const { remoteAddress, userAgent } = this.peer
    const actor: Actor = {
      type: 'user',
      id: bearer.userId,
      email: bearer.email,
      workspace: '',
      role: null,
      token: bearer.token,
      session: bearer.session,
    }
    try {
      if (bearer.token) await this.app.auth.record(bearer.token, { remoteAddress, userAgent, path: `/ws ${name}` })
      await perform(this.app, name, actor, input)
      return null
    } catch (error) {
      if (error instanceof Problem) return error
      throw error
    }
  }

  private cleanUp(): void {
    if (this.over) return
    this.over = true
    this.slot?.()
    clearTimeout(this.authClock)
    for (const channel of [...this.channels]) this.unsubscribe(channel)
    for (const feed of this.feeds.values()) feed.close()
    this.feeds.clear()
  }
}
