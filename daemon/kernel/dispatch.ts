import type { Endpoint } from '#contract/define'
import { unchangedHeader } from '#contract/dry-run'
import { type FactName, fact } from '#contract/entries'
import { allows, scopeAllows } from '#contract/roles'
import type { App } from './app.ts'
import { checkBound } from './auth/internal.ts'
import { actorHere, holds } from './auth/standing.ts'
import type { Wire } from './facts.ts'
import type { Actor, Feature, Gated, Web } from './feature.ts'
import type { Recorded } from './journal/journal.ts'
import { Problem, problem } from './problem.ts'
import type { Db } from './store/db.ts'
import { storageProblem } from './store/storage-fault.ts'

type Body = (call: object) => unknown
type Split = {
  prepare(call: object): Promise<unknown>
  commit(call: object, ready: unknown): unknown
  settle?(call: object, done: unknown, ready: unknown): unknown
  tried?(done: unknown): unknown
}
type Wish = { wish(call: object): unknown; settle(call: object, wish: unknown): Promise<unknown> }

/** An endpoint with its handler, by the name that contract, client, CLI and log share. */
export interface Operation {
  name: string
  feature: string
  endpoint: Endpoint
  handler: Body | Split | Wish
  /** Called before the body is read; throws a problem. */
  gate?: () => void
}

/** The reactions of all features, in the order in which they run. */
export const wiring = (features: Record<string, Feature>): Wire[] =>
  Object.entries(features).flatMap(([feature, { wires }]) => wires.map((wire) => ({ ...wire, feature })))

/** Registers the operations, reactions, channels and sources of runs of all features. */
export function register(app: App, features: Record<string, Feature>): void {
  app.reactor.connect(wiring(features))
  for (const [name, { endpoints, handlers, channels, sources, routines }] of Object.entries(features)) {
    for (const [kind, owner] of Object.entries(channels)) app.channels.set(kind, owner)
    for (const [source, it] of Object.entries(sources)) app.sources.set(source, it)
    if (routines) app.routines = routines
    const bound = handlers(app)
    for (const [op, endpoint] of Object.entries(endpoints)) {
      const full = `${name}.${op}`
      const given = bound[op] as Operation['handler'] | Gated<Operation['handler']>
      const [handler, gate] = 'gate' in given ? [given.handler, given.gate] : [given]
      app.operations.set(full, { name: full, feature: name, endpoint, handler, gate })
    }
  }
}

/** Refuses callers without the role (or the capability) or the token scope that the contract entry asks for. */
export function authorize(db: Db, { access, capability, scope, method, stepUp }: Endpoint, actor: Actor | null): void {
  if (access === 'public') return
  if (!actor) throw problem('no_credentials')
  if (access === 'internal') {
    if (!actor.bound) throw problem('not_found')
    return
  }
  if (
    access !== 'signed-in' &&
    !(actor.role && allows(access, actor.role)) &&
    !(capability && holds(db, actor, capability))
  ) {
    throw problem('insufficient_role', {
      detail: `This needs the role ${access} or above; yours is ${actor.role ?? 'none'}`,
    })
  }
  if (method !== 'GET' && scope && !scopeAllows(actor.token?.scopes ?? null, scope)) {
    throw problem('insufficient_scope', { detail: `This needs the token scope ${scope}` })
  }
  if (stepUp && actor.session?.stale) throw problem('step_up_required')
}

/** The only way to change state, for HTTP, the daemon's own jobs and agents. `input` has passed the schemas. */
export async function dispatch(
  app: App,
  operation: Operation,
  actor: Actor | null,
  input: object,
  web?: Web,
): Promise<unknown> {
  return dispatchNow(app, operation, actor, input, web)
}

/** As `dispatch`, but a read that waits for nothing answers at once, and what fails at once is thrown. */
export function dispatchNow(app: App, operation: Operation, actor: Actor | null, input: object, web?: Web): unknown {
  const { endpoint, handler } = operation
  const call = enter(app, operation, actor, input, web)
  try {
    const result = carryOut(app, endpoint, call, handler)
    return result instanceof Promise ? result.then(succeeded, inWords) : succeeded(result)
  } catch (error) {
    return inWords(error)
  }
}

function enter(app: App, { endpoint, gate }: Operation, actor: Actor | null, input: object, web?: Web): object {
  const here = actor && actorHere(app.db, endpoint, actor, input)
  authorize(app.db, endpoint, here)
  gate?.()
  if (actor?.bound) checkBound(actor.bound, (input as { body?: object }).body ?? {}, endpoint.foreign)
  return { ...input, actor: here, now: app.now(), ...(web && { web }) }
}

const inWords = (error: unknown): never => {
  throw storageProblem(error) ?? error
}

function succeeded(result: unknown): unknown {
  if (result instanceof Problem) throw result
  return result
}

/** What a change answered before it was taken back; `known` is false where its answer comes after the commit. */
export interface Tried {
  answer: unknown
  known: boolean
  entries: readonly Recorded[]
}

/**
 * Carries a change out up to its commit and takes it back. What it would wait for before the transaction is waited for;
 * nothing that follows the commit happens.
 */
export async function tryOut(
  app: App,
  operation: Operation,
  actor: Actor | null,
  input: object,
  web?: Web,
): Promise<Tried> {
  const { endpoint, handler } = operation
  const call = enter(app, operation, actor, input, web)
  try {
    const ready = typeof handler !== 'function' && 'prepare' in handler ? await handler.prepare(call) : undefined
    const work = () => step(handler, call, ready)
    const { answer, entries } = await app.writeDry(() => change(app, endpoint, call, work, !('wish' in handler)))
    succeeded(answer)
    if ('tried' in handler) return { answer: handler.tried!(answer), known: true, entries }
    return { answer, known: !('settle' in handler), entries }
  } catch (error) {
    return inWords(error)
  }
}

/** What a change waits for before its transaction; undefined when it waits for nothing. */
export const prepared = async ({ handler }: Operation, call: object): Promise<unknown> =>
  typeof handler !== 'function' && 'prepare' in handler ? handler.prepare(call) : undefined

/**
 * Carries an operation out within the change that runs now, as a part of it. `ready`: what `prepared` gave. What would
 * follow its commit does not happen.
 */
export function carryOutWithin(
  app: App,
  operation: Operation,
  actor: Actor,
  { input, ready }: { input: object; ready: unknown },
): unknown {
  const { endpoint, handler } = operation
  const call = enter(app, operation, actor, input)
  return succeeded(change(app, endpoint, call, () => step(handler, call, ready), false))
}

/** The part of a handler that runs within the transaction. */
function step(handler: Operation['handler'], call: object, ready: unknown): unknown {
  if (typeof handler === 'function') return handler(call)
  return 'wish' in handler ? handler.wish(call) : handler.commit(call, ready)
}

const carryOut = (app: App, endpoint: Endpoint, call: object, handler: Operation['handler']) =>
  typeof handler === 'function' ? run(app, endpoint, call, () => handler(call)) : runParts(app, endpoint, call, handler)

const run = (app: App, endpoint: Endpoint, call: object, work: () => unknown, says = endpoint.method !== 'GET') =>
  endpoint.journal ? app.write(() => change(app, endpoint, call, work, says)) : work()

/**
 * The work with its fact. `says`: the answer says so when nothing was written, but never to strangers, who would learn
 * which addresses have accounts.
 */
function change(app: App, endpoint: Endpoint, call: object, work: () => unknown, says: boolean): unknown {
  const recorded = () => record(app, endpoint, call as RecordCall, work())
  if (!says) return recorded()
  const { value, wrote } = app.watched(recorded)
  if (!wrote && endpoint.access !== 'public') unchanged(call)
  return value
}

/** Says of a change over HTTP that it found everything as it was asked for. */
export const unchanged = ({ web }: { web?: Web }): void => void web?.reply.header(unchangedHeader, 'true')

async function runParts(app: App, endpoint: Endpoint, call: object, parts: Split | Wish): Promise<unknown> {
  if ('prepare' in parts) {
    const ready = await parts.prepare(call)
    const done = await run(app, endpoint, call, () => parts.commit(call, ready))
    return done instanceof Problem || !parts.settle ? done : parts.settle(call, done, ready)
  }
  // Only the feature knows whether what it waits for is there already.
  const wish = await run(app, endpoint, call, () => parts.wish(call), false)
  return wish instanceof Problem ? wish : parts.settle(call, wish)
}

type RecordCall = { actor: Actor } & Record<string, unknown>

const ends: Record<string, string> = { POST: 'created', PATCH: 'updated', PUT: 'updated', DELETE: 'deleted' }

/** The fact that a change of this entity is recorded as. */
export const auditOf = ({ entity, method }: Endpoint): FactName => `${entity}.${ends[method]}` as FactName

/** Records plain creations, updates and deletions. Services record everything else. */
function record(app: App, endpoint: Endpoint, call: RecordCall, result: unknown): unknown {
  if (result instanceof Problem || !endpoint.entity) return result
  const about = subject(endpoint, call, result)
  const workspace_id = call.actor?.workspace || about.workspace
  if (!workspace_id) return result
  const { id: entity_id, label: name, crew: crew_id, agent: agent_id, changed } = about
  const payload = { entity_id, name, ...(changed.length && { metadata: { changed } }) }
  const audit = auditOf(endpoint) as 'crew.updated'
  app.journal(
    fact(audit, payload, {
      workspace_id,
      ...actorOf(call.actor),
      ...(crew_id && { crew_id }),
      ...(agent_id && { agent_id }),
    }),
  )
  return result
}

/** The actor's members of a journal entry. */
export const actorOf = (actor: Actor | null): { actor_type: 'user' | 'agent' | 'system'; actor_id?: string } =>
  actor ? { actor_type: actor.type, actor_id: actor.id } : { actor_type: 'system' }

function subject(endpoint: Endpoint, call: RecordCall, result: unknown) {
  const row = (result && typeof result === 'object' ? result : {}) as Record<string, unknown>
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map((match) => match[1]!)
  const param = names.length ? String(call[names.at(-1)!] ?? '') : ''
  const id = typeof row['id'] === 'string' ? row['id'] : param
  const label = [row['slug'], row['name'], row['title'], id].find((text) => typeof text === 'string' && text) as string
  const known = Object.keys((endpoint.body as { properties?: object } | undefined)?.properties ?? {})
  const changed =
    call['body'] && endpoint.method !== 'POST' ? known.filter((name) => name in (call['body'] as object)) : []
  const workspace = endpoint.entity === 'workspace' ? id : String(row['workspace_id'] ?? '')
  const crew = endpoint.entity === 'crew' ? id : typeof row['crew_id'] === 'string' ? row['crew_id'] : ''
  const agent = endpoint.entity === 'agent' ? id : typeof row['agent_id'] === 'string' ? row['agent_id'] : ''
  return { id, label, workspace, crew, agent, changed }
}
