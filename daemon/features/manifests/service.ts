import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { manifests } from '#contract/manifests'
import type { App } from '#kernel/app'
import { actorOf, unchanged } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { dryRunAsked } from '#kernel/http/dry-run'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { carryOutAll, prepareAll, type Ready } from './acting.ts'
import { kinds } from './kinds/index.ts'
import { canonical, type Difference, difference, digestOf, order, type State } from './plan.ts'
import { refuseUnreachable, type Unreachable, unreachableIn } from './reaching.ts'
import { type Read, readDocuments } from './reading.ts'
import { told } from './telling.ts'
import type { Action, Flaw } from './types.ts'
import { needed, needOf, withoutValue } from './values.ts'

type Asked = Call<typeof manifests.apply>
type Plan = Reply<typeof manifests.apply>

/** What is there, by kind and name. */
export const stateOf = (app: App, workspace: string): State =>
  new Map(order.map((kind) => [kind, new Map(kinds[kind].stored(app, workspace).map((it) => [it.name, it]))]))

/** What was found out before the transaction. */
export interface Prepared {
  read: Read
  digest: string
  /** Changes that would leave everything as it is. */
  idle: ReadonlySet<string>
  ready: Ready
  flaws: Flaw[]
  /** What a plan warns of; an apply is refused before it. */
  unreachable: Unreachable[]
}

const keyOf = ({ kind, name }: Pick<Action, 'kind' | 'name'>) => `${kind} ${name}`

/** Reads the documents, and does whatever must be waited for. */
export async function prepare(app: App, call: Asked): Promise<Prepared> {
  const read = await readDocuments(call.body.documents)
  refuse(read.flaws)
  const state = stateOf(app, call.actor.workspace)
  const found = differenceOf(call, read, state)
  const { ready, flaws } = await prepareAll(workOf(app, call, found.actions, state))
  const isWhole = !flaws.length && (isTried(call) || !needed(found.actions, call.body.values ?? {}).length)
  const unreachable = isWhole ? await unreachableIn(app, found.actions) : []
  if (!isTried(call)) refuseUnreachable(unreachable)
  const idle = flaws.length ? new Set<string>() : await idleChanges(app, call, { actions: found.actions, state, ready })
  return { read, digest: digestOf(found.actions), idle, ready, flaws, unreachable }
}

/** Only a plan is asked for. */
const isTried = ({ web }: Asked): boolean => web !== undefined && dryRunAsked(manifests.apply, web.request.query)

function differenceOf({ body }: Asked, read: Read, state: State): Difference {
  const { mode = 'upsert', delete: destroys = true, values = {} } = body
  const found = difference(read, state, { mode, destroys })
  refuse(found.flaws)
  return { ...found, actions: found.actions.filter((it) => !isOptional(it, values)) }
}

/** A credential that nobody gave a value of and that may be missing. */
const isOptional = ({ action, kind, name, members }: Action, values: Readonly<Record<string, string>>): boolean =>
  action === 'create' && kind === 'Credential' && members['required'] === false && values[name] === undefined

const workOf = (app: App, { actor, body }: Asked, actions: readonly Action[], state: State) => ({
  app,
  actor,
  actions,
  state,
  values: body.values ?? {},
  skipsTests: body.skip_test_gate === true,
})

/**
 * Tries everything and finds the changes that leave a thing as it was: services write some values in a form of their
 * own.
 */
async function idleChanges(
  app: App,
  call: Asked,
  { actions, state, ready }: { actions: readonly Action[]; state: State; ready: Ready },
): Promise<Set<string>> {
  const changes = actions.filter(({ action }) => action === 'change')
  if (!changes.length) return new Set()
  const { answer: after } = await app.writeDry(() => {
    const flaws = carryOutAll(workOf(app, call, actions, state), ready)
    return flaws.length ? null : stateOf(app, call.actor.workspace)
  })
  if (!after) return new Set()
  const isIdle = ({ kind, name, stored }: Action) =>
    canonical(after.get(kind)!.get(name)?.members) === canonical(stored!.members)
  return new Set(changes.filter(isIdle).map(keyOf))
}

/** Makes the workspace what the documents say: all of it, or nothing. */
export function apply(app: App, call: Asked, { read, digest, idle, ready, flaws, unreachable }: Prepared): Plan {
  const { actor, body } = call
  const state = stateOf(app, actor.workspace)
  const found = differenceOf(call, read, state)
  if (digestOf(found.actions) !== digest || (body.digest !== undefined && body.digest !== digest))
    throw problem('plan_outdated', { detail: 'The workspace has changed since the plan was made. Make it anew' })
  const needs = needed(found.actions, body.values ?? {})
  const busy = found.actions.map((it, at) => [it, ready[at] ?? null] as const).filter(([it]) => !isIdle(it, idle))
  const actions = busy.map(([it]) => it)
  const trace = newId(app.clock())
  const work = workOf(app, call, actions, state)
  app.traced(trace, () => {
    const refused = carryOutAll(
      work,
      busy.map(([, it]) => it),
    )
    refuse([...flaws, ...(isTried(call) ? [] : needs.map(withoutValue)), ...refused])
    if (actions.length) record(app, actor, actions)
  })
  if (!actions.length) unchanged(call)
  return {
    ...told(actions, found.unchanged + idle.size),
    digest,
    needs: needs.map(needOf),
    warnings: unreachable.map(({ server: _, ...flaw }) => flaw),
    trace_id: actions.length ? trace : null,
  }
}

const isIdle = (it: Action, idle: ReadonlySet<string>) => it.action === 'change' && idle.has(keyOf(it))

function record(app: App, actor: Actor, actions: readonly Action[]): void {
  const of = (what: Action['action']) => actions.filter(({ action }) => action === what).length
  const metadata = { created: of('create'), changed: of('change'), destroyed: of('destroy') }
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  const { name } = kinds.Workspace.stored(app, actor.workspace)[0]!
  app.journal(fact('workspace.applied', { entity_id: actor.workspace, name, metadata }, about))
}

const mostFlaws = 200

/** Refuses documents with all their mistakes. */
function refuse(flaws: readonly Flaw[]): void {
  if (!flaws.length) return
  const inOrder = [...flaws].sort((a, b) => a.document - b.document)
  const many = flaws.length === 1 ? 'There is one mistake' : `There are ${flaws.length} mistakes`
  const [{ detail }] = inOrder as [Flaw]
  throw problem('manifest_invalid', {
    detail: `${many} in the documents, the first: ${detail}`,
    extra: { mistakes: inOrder.slice(0, mostFlaws), count: flaws.length },
  })
}
