import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, Input, Reply } from '#contract/define'
import type { Role } from '#contract/roles'
import type { App } from './app.ts'
import type { Bound } from './auth/internal.ts'
import { type Reactions, type Wire, wiresOf } from './facts.ts'
import type { Problem } from './problem.ts'
import type { Routines } from './routines.ts'
import type { RunSource } from './runs.ts'

/** Who acts. `system` is the daemon itself (schedules, sweeps, the reconciler). */
export interface Actor {
  type: 'user' | 'agent' | 'system'
  id: string
  email: string | null
  /** Empty for routes that need no workspace. */
  workspace: string
  role: Role | null
  /** The CLI token that was presented, with its scopes. */
  token: { id: string; scopes: string[] | null; tier: string; expires_at: string | null } | null
  /** The browser session that was presented. `stale`: its second factor was not shown lately; `unproven`: never. */
  session: { id: string; stale: boolean; unproven: boolean } | null
  /** What the token of a caller of the internal interface is for. */
  bound?: Bound
}

/** A handler's argument. Public endpoints may have no actor. `now` has whole seconds, like stored times. */
export type Call<E> = Input<E> & {
  actor: E extends { access: 'public' } ? Actor | null : Actor
  now: string
  web?: Web
}

/** The HTTP side of a call, absent when the daemon itself dispatches. */
export interface Web {
  ip: string
  request: FastifyRequest
  reply: FastifyReply
}

/** Throwing a problem rolls the change back; returning one commits it and still fails the request. */
export type Result<E> = Reply<E> | Problem

/** A change with asynchronous work (hash, fetch, inspect) before its transaction. */
export interface Staged<E, Ready> {
  prepare(call: Call<E>): Promise<Ready>
  commit(call: Call<E>, ready: Ready): Result<E>
}

/** Splits a change into its asynchronous part and its transaction. */
export const staged = <E, Ready>(
  prepare: Staged<E, Ready>['prepare'],
  commit: Staged<E, Ready>['commit'],
): Staged<E, Ready> => ({ prepare, commit })

/** A change with asynchronous work before and after its transaction, such as cookies for a stored session. */
export interface Settled<E, Ready, Done> {
  prepare(call: Call<E>): Promise<Ready>
  commit(call: Call<E>, ready: Ready): Done
  settle(call: Call<E>, done: Done, ready: Ready): Result<E> | Promise<Result<E>>
}

/** Splits a change into what comes before its transaction, the transaction, and what comes after. */
export const settled = <E, Ready, Done>(parts: Settled<E, Ready, Done>): Settled<E, Ready, Done> => parts

/** A desired state that is stored first and then waited for: a container to start, a run to begin. */
export interface Wished<E, Wish> {
  wish(call: Call<E>): Wish
  settle(call: Call<E>, wish: Wish): Promise<Result<E>>
}

/** Splits a change into its transaction and the wait that follows. */
export const wished = <E, Wish>(wish: Wished<E, Wish>['wish'], settle: Wished<E, Wish>['settle']): Wished<E, Wish> => ({
  wish,
  settle,
})

/** A handler with a condition that is checked before the body is read. `gate` throws the problem. */
export interface Gated<H> {
  gate(): void
  handler: H
}
export const gated = <H>(gate: () => void, handler: H): Gated<H> => ({ gate, handler })

/**
 * Marks a change that answers without a transaction of its own (it calls `app.write` itself or changes nothing stored).
 */
type Plain<E> = (call: Call<E>) => Result<E> | Promise<Result<E>>

/** Streams and text write to the reply themselves. */
type Free<E> = (call: Call<E> & { web: Web }) => unknown

// biome-ignore lint/suspicious/noExplicitAny: the passed value's type is known only to the handler that made it
type Change<E, Any = any> = ((call: Call<E>) => Result<E>) | Staged<E, Any> | Wished<E, Any> | Settled<E, Any, Any>

/** A journaled endpoint answers synchronously: its work and its journal entry share one transaction. */
type Work<E> = E extends { kind: 'stream' | 'text' }
  ? Free<E>
  : E extends { journal: readonly string[] }
    ? Change<E>
    : Plain<E>
export type Handler<E> = Work<E> | Gated<Work<E>>

export type Handlers<C> = { [K in keyof C]: Handler<C[K]> }

/** Background work of a feature while the daemon runs. */
export type Job = (app: App) => { close(): void }

/** Finds the workspace of a WebSocket channel by kind and id; undefined when this user hears nothing there. */
export type Channels = Readonly<Record<string, (app: App, id: string, user: string) => string | undefined>>

/** What a feature has besides endpoints. */
export interface Extras {
  /** Reactions within the change that records the fact: throwing refuses the whole change. */
  on?: Reactions
  /** Reactions after that change is committed. */
  after?: Reactions
  jobs?: readonly Job[]
  /** Its WebSocket channels, `kind:id`, open to the members of their workspace. */
  channels?: Channels
  /** Its sources of runs, by the name that is stored with a run. */
  sources?: Readonly<Record<string, RunSource>>
  /** How features below it start its routines. */
  routines?: Routines
}

export interface Feature {
  endpoints: Record<string, Endpoint>
  handlers: (app: App) => Record<string, unknown>
  wires: readonly Omit<Wire, 'feature'>[]
  jobs: readonly Job[]
  channels: Channels
  sources: Readonly<Record<string, RunSource>>
  routines?: Routines | undefined
}

/** Ties a feature's contract to its handlers; a missing or wrong handler does not compile. */
export const feature = <C extends Record<string, Endpoint>>(
  endpoints: C,
  handlers: (app: App) => Handlers<C>,
  { on, after, jobs = [], channels = {}, sources = {}, routines }: Extras = {},
): Feature => ({
  endpoints,
  handlers,
  wires: [...wiresOf('on', on), ...wiresOf('after', after)],
  jobs,
  channels,
  sources,
  routines,
})

/** Combines parts with endpoints of their own into one feature. */
export const join = (...parts: Feature[]): Feature => ({
  endpoints: Object.assign({}, ...parts.map(({ endpoints }) => endpoints)),
  handlers: (app) => Object.assign({}, ...parts.map(({ handlers }) => handlers(app))),
  wires: parts.flatMap(({ wires }) => wires),
  jobs: parts.flatMap(({ jobs }) => jobs),
  channels: Object.assign({}, ...parts.map(({ channels }) => channels)),
  sources: Object.assign({}, ...parts.map(({ sources }) => sources)),
})
