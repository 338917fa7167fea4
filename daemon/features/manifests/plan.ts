import { hash } from 'node:crypto'
import { type KindName, manifestKinds } from '#contract/manifest-kinds'
import type { applyModes } from '#contract/manifests'
import type { Read } from './reading.ts'
import type { Action, Flaw, Members, Resource, Stored } from './types.ts'

export type State = ReadonlyMap<KindName, ReadonlyMap<string, Stored>>

export interface Wishes {
  mode: (typeof applyModes)[number]
  destroys: boolean
}

export interface Difference {
  actions: Action[]
  unchanged: number
  flaws: Flaw[]
}

/** The kinds in the order in which they are made. */
export const order = Object.keys(manifestKinds) as KindName[]

/** Kinds of which nothing is ever destroyed: a value cannot be brought back, and a workspace holds everything. */
const kept: readonly KindName[] = ['Workspace', 'Credential']

/** Members that documents alone have, or that say only how a thing begins. */
const unstored = ['help_url', 'required', 'source', 'begins']

/** JSON in which the order of members counts for nothing, and absent is the same as null and empty. */
export function canonical(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value)
    .map(([name, it]) => [name, canonical(it)] as const)
    .filter(([, it]) => it !== 'null')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, it]) => `${JSON.stringify(name)}:${it}`).join()}}`
}

/** The members that differ. */
const differing = (wanted: Members, stored: Members): Members =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => !unstored.includes(name) && canonical(value) !== canonical(stored[name]),
    ),
  )

/** What must be done so that the workspace is as the documents say. */
export function difference(
  { resources, whole }: Pick<Read, 'resources' | 'whole'>,
  state: State,
  wishes: Wishes,
): Difference {
  const found: Difference = { actions: [], unchanged: 0, flaws: [] }
  for (const resource of resources) compare(found, resource, state, wishes)
  const destroyed = wishes.destroys ? extras(resources, whole, state, wishes) : []
  found.actions = inOrder([...found.actions, ...destroyed])
  return found
}

function compare(found: Difference, resource: Resource, state: State, { mode }: Wishes): void {
  const { kind, name, members } = resource
  const stored = state.get(kind)!.get(name) ?? null
  const flaw = (detail: string) => found.flaws.push({ document: resource.document, path: resource.nameAt, detail })
  if (!stored) {
    if (kind === 'Workspace') flaw(`This is not the workspace ${name}: name it with --workspace`)
    else found.actions.push({ action: 'create', kind, name, resource, stored, members })
    return
  }
  const wanted = mode === 'upsert' && kind === 'Credential' ? withReach(members, stored.members) : members
  const changed = resource.asFound || stored.settled ? {} : differing(wanted, stored.members)
  if (!Object.keys(changed).length) found.unchanged += 1
  else if (mode === 'strict')
    flaw(`${kind} ${name} is there already, and differs in ${Object.keys(changed).join(', ')}`)
  else found.actions.push({ action: 'change', kind, name, resource, stored, members: changed })
}

/** A credential that a crew asks for stays with those who have it: other files may be theirs. Null is the workspace. */
function withReach(members: Members, stored: Members): Members {
  const [asked, had] = [members['crews'], stored['crews']] as (string[] | null | undefined)[]
  if (!asked) return members
  return { ...members, crews: had ? [...new Set([...had, ...asked])].sort() : null }
}

/** What is there and no document names: what described crews have of a list, in `replace` all of the kinds. */
function extras(resources: readonly Resource[], whole: ReadonlySet<string>, state: State, { mode }: Wishes): Action[] {
  const named = new Set(resources.map(({ kind, name }) => `${kind} ${name}`))
  const held = new Set(resources.map(({ kind }) => kind))
  const isExtra = (kind: KindName, { name, members, settled }: Stored) =>
    !settled &&
    !named.has(`${kind} ${name}`) &&
    ((mode === 'replace' && held.has(kind)) || whole.has(`${kind} ${members['crew'] as string}`))
  return order
    .filter((kind) => !kept.includes(kind))
    .flatMap((kind) =>
      [...state.get(kind)!.values()]
        .filter((stored) => isExtra(kind, stored))
        .map((stored): Action => ({ action: 'destroy', kind, name: stored.name, resource: null, stored, members: {} })),
    )
}

/** Holders of others go last, so that what moves out of them stays. */
const holders: readonly KindName[] = ['Crew', 'Project']

/** What is freed comes before what is changed, and that before what is new. */
function inOrder(actions: readonly Action[]): Action[] {
  const late = ({ action, kind }: Action) => action === 'destroy' && holders.includes(kind)
  const rank = (it: Action): number => {
    const at = order.indexOf(it.kind)
    if (it.action === 'destroy') return late(it) ? 1000 + at : -at - 1
    return 2 * at + (it.action === 'change' ? 0 : 1)
  }
  const depth = depths(actions)
  const deep = (it: Action) => (it.action === 'destroy' ? -depth(it) : depth(it))
  return [...actions].sort((a, b) => rank(a) - rank(b) || deep(a) - deep(b))
}

/** Things of one kind that stand above others: the issue that one is part of, the server whose place one takes. */
const above: Partial<Record<KindName, string>> = { Issue: 'parent', Integration: 'replaces' }

/** How many things of the same kind each builds on. */
function depths(actions: readonly Action[]): (action: Action) => number {
  const upper = new Map<string, string>()
  for (const { kind, name, members, stored } of actions) {
    const it = (members[above[kind] ?? ''] ?? stored?.members[above[kind] ?? '']) as string | null | undefined
    if (it) upper.set(`${kind} ${name}`, `${kind} ${it}`)
  }
  return ({ kind, name }) => {
    const seen = new Set<string>()
    for (let at = upper.get(`${kind} ${name}`); at && !seen.has(at); at = upper.get(at)) seen.add(at)
    return seen.size
  }
}

/** Stands for a plan and the state that it starts from. */
export const digestOf = (actions: readonly Action[]): string =>
  hash(
    'sha256',
    JSON.stringify(
      actions.map(({ action, kind, name, members, stored }) => [
        action,
        kind,
        name,
        canonical(members),
        canonical(stored && (action === 'destroy' ? stored.members : pick(stored.members, members))),
      ]),
    ),
    'hex',
  )

const pick = (from: Members, names: Members): Members =>
  Object.fromEntries(Object.keys(names).map((name) => [name, from[name]]))
