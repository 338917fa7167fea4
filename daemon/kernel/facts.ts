import { type About, type Acting, definitionOf, type Fact, type FactName } from '#contract/entries'
import type { App } from './app.ts'
import type { Draft, Recorded } from './journal/journal.ts'
import { EntryNames } from './journal/naming.ts'
import type { Db } from './store/db.ts'

/** Whom and what a fact concerns. It names no workspace when the fact was recorded in several journals or none. */
type Context = Omit<About, 'workspace_id'> & { readonly workspace_id?: string }

/** The actor of a fact, for the facts that follow from it. */
export const acting = ({ actor_type, actor_id }: Acting): Acting => ({ actor_type, actor_id })

/** A fact that has been recorded, as reactions see it. */
export interface Happened<N extends FactName = FactName> extends Fact<N, Context> {
  /** Its entries: one for each journal that it was recorded in, which may be none. */
  readonly recorded: readonly Recorded[]
}

/** What a feature does when a fact is recorded. */
export interface Reaction<N extends FactName = FactName> {
  /** The facts that it may record in turn; recording any other throws. */
  writes?: readonly FactName[]
  run(app: App, happened: Happened<N>): unknown
}

/** Reactions by fact. A reaction that records nothing may be the function alone. */
export type Reactions = { readonly [N in FactName]?: Reaction<N> | Reaction<N>['run'] }

/** A reaction of a feature: `on` runs within the change of the fact, `after` once it is committed. */
export interface Wire {
  fact: FactName
  phase: 'on' | 'after'
  feature: string
  writes: readonly FactName[]
  run: Reaction['run']
}

export const wiresOf = (phase: Wire['phase'], reactions: Reactions = {}): Omit<Wire, 'feature'>[] =>
  Object.entries(reactions).map(([fact, reaction]) => {
    const { writes = [], run } = typeof reaction === 'function' ? { run: reaction } : (reaction as Reaction)
    return { fact: fact as FactName, phase, writes, run: run as Reaction['run'] }
  })

function byFact(wires: readonly Wire[]): Map<FactName, Wire[]> {
  const map = new Map<FactName, Wire[]>()
  for (const wire of wires) map.set(wire.fact, [...(map.get(wire.fact) ?? []), wire])
  return map
}

/** A cycle of facts through reactions; null when there is none. */
export function cycleOf(wires: readonly Wire[]): FactName[] | null {
  const next = byFact(wires)
  const done = new Set<FactName>()
  const walk = (fact: FactName, above: FactName[]): FactName[] | null => {
    if (above.includes(fact)) return [...above.slice(above.indexOf(fact)), fact]
    if (done.has(fact)) return null
    done.add(fact)
    const written = new Set(next.get(fact)?.flatMap(({ writes }) => writes))
    return [...written].reduce<FactName[] | null>((found, it) => found ?? walk(it, [...above, fact]), null)
  }
  return [...next.keys()].reduce<FactName[] | null>((found, fact) => found ?? walk(fact, []), null)
}

/** Runs the reactions to each fact, in the order of the wires. */
export interface Reactor {
  /** Replaces all wires. Throws when they form a cycle. */
  connect(wires: readonly Wire[]): void
  readonly wires: readonly Wire[]
  /** Throws when the running reaction does not declare that it records this fact. */
  check(fact: FactName): void
  /** Runs the `on` reactions now and the `after` reactions after the commit. */
  happened(app: App, happened: Happened): void
}

export function createReactor(): Reactor {
  let wires: readonly Wire[] = []
  let reacting = new Map<FactName, Wire[]>()
  let running: Wire | null = null

  function runNow(app: App, wire: Wire, happened: Happened): void {
    const outer = running
    running = wire
    try {
      if (wire.run(app, happened) instanceof Promise) throw new Error(`${nameOf(wire)} must be synchronous`)
    } finally {
      running = outer
    }
  }

  async function runLater(app: App, wire: Wire, happened: Happened): Promise<void> {
    try {
      await wire.run(app, happened)
    } catch (error) {
      app.log.error({ err: error }, `${nameOf(wire)} failed`)
    }
  }

  return {
    get wires() {
      return wires
    },
    connect(all) {
      const cycle = cycleOf(all)
      if (cycle) throw new Error(`Reactions form a cycle: ${cycle.join(' -> ')}`)
      wires = all
      reacting = byFact(all)
    },
    check(fact) {
      if (running && !running.writes.includes(fact))
        throw new Error(`${nameOf(running)} does not declare that it records ${fact}`)
    },
    happened(app, happened) {
      const all = reacting.get(happened.name)
      if (!all) return
      for (const wire of all) {
        if (wire.phase === 'on') runNow(app, wire, happened)
        else app.afterCommit(() => void runLater(app, wire, happened))
      }
    },
  }
}

const nameOf = ({ feature, phase, fact }: Wire) => `The reaction of ${feature} ${phase} ${fact}`

/** The entry of a fact, including its summary. */
export function draftOf(
  db: Db,
  { name, payload, about }: Fact<FactName, Omit<About, 'workspace_id'>>,
): Omit<Draft, 'workspace_id'> {
  const { type, severity, fixed, says } = definitionOf(name)
  const audited = fixed && {
    entity_type: fixed['entity_type'],
    entity_id: (payload as { entity_id: string }).entity_id,
  }
  return {
    severity,
    ...(audited && { refs: audited }),
    ...about,
    type,
    summary: says(payload, new EntryNames(db, about)),
    payload: { ...fixed, ...payload } as Record<string, unknown>,
  }
}
