import type { App } from '#kernel/app'
import { type Session, Unusable, unusable } from '../sessions/service.ts'

/** Connections that are kept at a time. */
const most = 500
const firstWaitMs = 1000
const longestWaitMs = 60_000

/** A connection as it is wanted. */
interface Wanted {
  /** Tells it from all others: who has it, with what, and all that it is made with. */
  key: string
  /** How long it is kept unused. */
  idleMs: number
  /** The server whose program it leads to; null over HTTP. */
  program: string | null
  open(): Promise<Session>
}

/** A program that could not be started. */
interface Failed {
  program: string
  error: Unusable
  waitMs: number
  /** On the daemon's steady clock. */
  until: number
}

interface Kept {
  program: string | null
  session: Promise<Session>
  using: number
  idle: NodeJS.Timeout | undefined
}

/** The connections of a daemon to servers of agents. */
class Sessions {
  readonly #app: App
  readonly #kept = new Map<string, Kept>()
  readonly #failed = new Map<string, Failed>()

  constructor(app: App) {
    this.#app = app
    app.stopping.signal.addEventListener('abort', () => {
      for (const [key, kept] of this.#kept) this.#drop(key, kept)
    })
  }

  /** Does something over the connection, which is made when there is none; `begin` is done first with a new one. */
  async use<T>(
    wanted: Wanted,
    begin: (session: Session) => Promise<unknown>,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { key, idleMs } = wanted
    const kept = this.#kept.get(key) ?? this.#open(wanted, begin)
    clearTimeout(kept.idle)
    kept.using++
    try {
      return await using(await kept.session, work)
    } finally {
      kept.using--
      if (!kept.using && this.#kept.get(key) === kept)
        kept.idle = setTimeout(() => this.#drop(key, kept), idleMs).unref()
    }
  }

  /** Ends the programs of a server, which was changed or is gone. */
  endPrograms(server: string): void {
    for (const [key, { program }] of this.#failed) if (program === server) this.#failed.delete(key)
    for (const [key, kept] of this.#kept)
      if (kept.program === server) this.#drop(key, kept, 'was changed or deleted meanwhile')
  }

  /** Lets go of a connection that a server no longer knows. */
  forget({ key }: Wanted): void {
    const kept = this.#kept.get(key)
    if (kept) this.#drop(key, kept)
  }

  #open(wanted: Wanted, begin: (session: Session) => Promise<unknown>): Kept {
    const { key, program, open } = wanted
    this.#makeRoom()
    const session = this.#started(wanted, async () => {
      const made = await open()
      try {
        await using(made, begin)
        return made
      } catch (error) {
        await made.close()
        throw error
      }
    })
    const kept: Kept = { program, session, using: 0, idle: undefined }
    this.#kept.set(key, kept)
    const gone = () => this.#kept.get(key) === kept && this.#kept.delete(key)
    session.then(({ client }) => {
      client.onclose = gone
      if (!client.transport) gone()
    }, gone)
    return kept
  }

  /** Starts a program; the longer it has failed, the longer it is left alone. */
  async #started({ key, program }: Wanted, open: () => Promise<Session>): Promise<Session> {
    if (program === null) return open()
    const failed = this.#failed.get(key)
    const leftMs = failed ? failed.until - this.#app.steady() : 0
    if (failed && leftMs > 0)
      throw new Unusable(
        `${failed.error.message}. It is started again in ${Math.ceil(leftMs / 1000)} s at the earliest`,
      )
    try {
      const session = await open()
      this.#failed.delete(key)
      return session
    } catch (error) {
      if (this.#failed.size >= most) this.#failed.delete(this.#failed.keys().next().value!)
      const waitMs = Math.min(failed ? 2 * failed.waitMs : firstWaitMs, longestWaitMs)
      const until = this.#app.steady() + waitMs
      this.#failed.set(key, { program, error: unusable(error, { host: 'the server' }), waitMs, until })
      throw error
    }
  }

  /** Gives up the connections that have been idle for longest. */
  #makeRoom(): void {
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size < most) return
      if (!kept.using) this.#drop(key, kept)
    }
  }

  #drop(key: string, kept: Kept, reason?: string): void {
    clearTimeout(kept.idle)
    this.#kept.delete(key)
    kept.session.then(
      (session) => session.close(reason),
      () => undefined,
    )
  }
}

/** Does something over a connection. A server that is gone says why better than what failed for it. */
async function using<T>(session: Session, work: (session: Session) => Promise<T>): Promise<T> {
  try {
    return await work(session)
  } catch (error) {
    throw session.failure?.() ?? error
  }
}

const all = new WeakMap<App, Sessions>()

/** The connections of this daemon. */
export function sessionsOf(app: App): Sessions {
  const sessions = all.get(app) ?? new Sessions(app)
  all.set(app, sessions)
  return sessions
}
