import { hash } from 'node:crypto'
import type { App } from '#kernel/app'
import { openSession, type Session } from '../sessions/service.ts'

/** Of each answer of a server. */
export const mostBytes = 4 * 1024 * 1024
const idleMs = 5 * 60_000
/** Connections that are kept at a time. */
const most = 500

/** What a connection is made for. */
interface Wanted {
  agentId: string
  serverId: string
  endpoint: string
  /** What is sent with every call, the credential included. */
  headers: Record<string, string>
  /** Of each call. */
  timeoutMs: number
}

interface Kept {
  session: Promise<Session>
  using: number
  idle: NodeJS.Timeout | undefined
}

/** The connections of a daemon to servers of agents: of each agent its own, by all that it is made with. */
class Sessions {
  readonly #kept = new Map<string, Kept>()
  readonly #app: App

  constructor(app: App) {
    this.#app = app
  }

  /** Does something over the connection, which is made when there is none; `begin` is done first with a new one. */
  async use<T>(
    wanted: Wanted,
    begin: (session: Session) => Promise<unknown>,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(wanted)
    const kept = this.#kept.get(key) ?? this.#open(key, wanted, begin)
    clearTimeout(kept.idle)
    kept.using++
    try {
      return await work(await kept.session)
    } finally {
      kept.using--
      if (!kept.using && this.#kept.get(key) === kept)
        kept.idle = setTimeout(() => this.#drop(key, kept), idleMs).unref()
    }
  }

  /** Lets go of a connection that a server no longer knows. */
  forget(wanted: Wanted): void {
    const key = keyOf(wanted)
    const kept = this.#kept.get(key)
    if (kept) this.#drop(key, kept)
  }

  #open(key: string, wanted: Wanted, begin: (session: Session) => Promise<unknown>): Kept {
    this.#makeRoom()
    const { endpoint, headers, timeoutMs } = wanted
    const called = { endpoint, headers, timeoutMs, maxBytes: mostBytes }
    const session = openSession(this.#app, called, this.#app.stopping.signal).then(async (made) => {
      try {
        await begin(made)
        return made
      } catch (error) {
        await made.close()
        throw error
      }
    })
    const kept: Kept = { session, using: 0, idle: undefined }
    this.#kept.set(key, kept)
    session.catch(() => this.#kept.get(key) === kept && this.#kept.delete(key))
    return kept
  }

  /** Gives up the connections that have been idle for longest. */
  #makeRoom(): void {
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size < most) return
      if (!kept.using) this.#drop(key, kept)
    }
  }

  #drop(key: string, kept: Kept): void {
    clearTimeout(kept.idle)
    this.#kept.delete(key)
    kept.session.then(
      (session) => session.close(),
      () => undefined,
    )
  }
}

const keyOf = ({ agentId, serverId, ...rest }: Wanted): string =>
  `${agentId} ${serverId} ${hash('sha256', JSON.stringify(rest), 'hex')}`

const all = new WeakMap<App, Sessions>()

/** The connections of this daemon. */
export function sessionsOf(app: App): Sessions {
  const sessions = all.get(app) ?? new Sessions(app)
  all.set(app, sessions)
  return sessions
}
