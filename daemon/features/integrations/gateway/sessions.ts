import type { App } from '#kernel/app'
import type { Session } from '../sessions/service.ts'

/** Connections that are kept at a time. */
const most = 500

/** A connection as it is wanted. */
interface Wanted {
  /** Tells it from all others: who has it, with what, and all that it is made with. */
  key: string
  /** How long it is kept unused. */
  idleMs: number
  open(): Promise<Session>
}

interface Kept {
  session: Promise<Session>
  using: number
  idle: NodeJS.Timeout | undefined
}

/** The connections of a daemon to servers of agents. */
class Sessions {
  readonly #kept = new Map<string, Kept>()

  constructor({ stopping }: App) {
    stopping.signal.addEventListener('abort', () => {
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

  /** Lets go of a connection that a server no longer knows. */
  forget({ key }: Wanted): void {
    const kept = this.#kept.get(key)
    if (kept) this.#drop(key, kept)
  }

  #open({ key, open }: Wanted, begin: (session: Session) => Promise<unknown>): Kept {
    this.#makeRoom()
    const session = open().then(async (made) => {
      try {
        await using(made, begin)
        return made
      } catch (error) {
        await made.close()
        throw error
      }
    })
    const kept: Kept = { session, using: 0, idle: undefined }
    this.#kept.set(key, kept)
    const gone = () => this.#kept.get(key) === kept && this.#kept.delete(key)
    session.then(({ client }) => {
      client.onclose = gone
      if (!client.transport) gone()
    }, gone)
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
