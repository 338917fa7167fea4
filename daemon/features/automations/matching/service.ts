import type { Entry } from '#contract/entries'
import { fact } from '#contract/entries'
import { deepestChain } from '#contract/routines'
import type { App } from '#kernel/app'
import { untilWritten } from '#kernel/store/until-written'
import { raise } from '../../inbox/service.ts'
import { type Chain, chainOf, longer } from '../../routines/chains/service.ts'
import { isParked, parkRun } from '../../routines/pending/service.ts'
import { routineBySlug } from '../../routines/service.ts'
import { queries, type Row } from '../queries.ts'
import { type Clause, clausesOf, type Event, eventOf, inputsFor, type Matcher, subjectOf } from '../rules.ts'

interface Rule extends Row {
  clauses: Clause[]
}

/** Matches of one rule about one subject that are not stored yet. */
interface Matched {
  rule: Rule
  subject: string
  event: Event
  /** The longest chain that one of them belongs to. */
  chain: Chain | null
  count: number
}

/** What a rule has begun since the first match of its hour. */
interface Budget {
  since: number
  begun: number
  told: boolean
}

const hourMs = 3_600_000
/** Between two writes, so that many matches become one; the first after a while is written at once. */
const writePauseMs = 250
/** After this the rules of a workspace are read again. */
const freshMs = 60_000
/** Runs that could not be parked one after the other before people hear of it. */
const mostFailures = 3

type Rules = Map<string, Rule[]>
const caches = new WeakMap<App, Map<string, { at: number; rules: Rules }>>()

function cacheOf(app: App) {
  const known = caches.get(app) ?? new Map<string, { at: number; rules: Rules }>()
  caches.set(app, known)
  return known
}

/** The rules of a workspace have changed: they are read again once that is committed. */
export const forgetRules = (app: App, workspace: string): void =>
  app.afterCommit(() => void cacheOf(app).delete(workspace))

/** The enabled rules of a workspace by the type of entry that they match. */
function rulesOf(app: App, workspace: string): Rules {
  const cache = cacheOf(app)
  const known = cache.get(workspace)
  if (known && app.steady() - known.at < freshMs) return known.rules
  const rules: Rules = new Map()
  for (const row of queries(app.db).enabled.all(workspace)) {
    const rule = { ...row, clauses: clausesOf(JSON.parse(row.matcher_json) as Matcher) }
    rules.set(row.event_type, [...(rules.get(row.event_type) ?? []), rule])
  }
  cache.set(workspace, { at: app.steady(), rules })
  return rules
}

/**
 * Parks runs for matching entries: an entry is matched in the turn of its commit, and the runs are parked by a change
 * of their own right after it.
 */
export function matchEntries(app: App): { close(): void } {
  const matched = new Map<string, Matched>()
  const budgets = new Map<string, Budget>()
  const failures = new Map<string, number>()
  let flushing = false
  let flushed = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const hear = ({ entry }: { entry: Entry }): void => {
    const rules = rulesOf(app, entry.workspace_id).get(entry.entry_type) ?? []
    const matching = rules.filter(({ clauses }) => clauses.every(([, holds]) => holds(entry)))
    if (!matching.length) return
    const [subject, event, chain] = [subjectOf(entry), eventOf(entry), chainOfEntry(entry)]
    for (const rule of matching) {
      const key = `${rule.id}:${subject}`
      const before = matched.get(key)
      const count = (before?.count ?? 0) + 1
      matched.set(key, { rule, subject, event, chain: longer(before?.chain ?? null, chain), count })
    }
    flushSoon()
  }

  function flushSoon(): void {
    if (flushing) return
    flushing = true
    const pause = flushed + writePauseMs - app.steady()
    if (pause > 0) timer = setTimeout(flush, pause).unref()
    else setImmediate(flush)
  }

  function chainOfEntry({ workspace_id, trace_id, payload }: Entry): Chain | null {
    const ids = [trace_id, payload?.['run_id']].filter((it): it is string => typeof it === 'string')
    return chainOf(app, workspace_id, ids)
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    flushing = false
    flushed = app.steady()
    const all = [...matched.values()]
    matched.clear()
    if (!all.length) return
    try {
      await untilWritten(app, () => {
        for (const one of all) park(one)
      })
    } catch (error) {
      if (!app.stopping.signal.aborted) app.log.error({ err: error }, 'Automations could not park their runs')
    }
  }

  function park({ rule, subject, event, chain, count }: Matched): void {
    const { id, name, workspace_id, routine_slug } = rule
    const about = {
      workspace_id,
      actor_type: 'orchestrator' as const,
      ...(event.crew_id && { crew_id: event.crew_id }),
    }
    const of = { automation_id: id, automation_name: name }
    if (chain && chain.depth >= deepestChain) {
      // What says that a chain has ended must not go on with it.
      if (event.type === 'automation.depth_exceeded') return
      const origin = chain.origin ? { origin_run_id: chain.origin } : {}
      const depth = { chain_depth: chain.depth + 1, max_chain_depth: deepestChain, ...origin }
      const traced = { ...about, ...(event.run_id && { trace_id: event.run_id }) }
      app.journal(fact('automation.depth_exceeded', { ...of, routine_slug, ...depth }, traced))
      return
    }
    const routine = routine_slug ? routineBySlug(app, workspace_id, routine_slug) : undefined
    if (!routine || routine.status === 'disabled' || routine.active_version === null) {
      failed(rule, routine_slug)
      return
    }
    failures.delete(id)
    const key = `automation:${id}:${subject}`
    if (!isParked(app, routine.id, key) && !charge(rule, event, about, of)) return
    const now = app.clock()
    const wait = rule.debounce_seconds * 1000
    parkRun(app, {
      workspace: workspace_id,
      routine,
      inputs: (rule.inputs_json ? inputsFor(JSON.parse(rule.inputs_json), event) : {}) as Record<string, unknown>,
      event,
      via: 'automation',
      by: id,
      metadata: { automation_id: id, automation_name: name, trigger_event_type: event.type },
      chain: { depth: (chain?.depth ?? 0) + 1, origin: chain?.origin ?? null },
      fireAt: now + wait,
      debounce: { key, maxAt: now + 10 * wait },
      matches: count,
    })
  }

  /** Charges the hour of a rule with one more run; false, and told once, when it has begun as many as it may. */
  function charge(
    { id, max_per_hour }: Rule,
    { type }: Event,
    about: Parameters<typeof fact>[2],
    of: { automation_id: string; automation_name: string },
  ): boolean {
    const now = app.steady()
    const known = budgets.get(id)
    const budget = known && now - known.since < hourMs ? known : { since: now, begun: 0, told: false }
    budgets.set(id, budget)
    if (budget.begun < max_per_hour) {
      budget.begun++
      return true
    }
    if (!budget.told) {
      const window_started_at = new Date(app.clock() - (now - budget.since)).toISOString()
      app.journal(
        fact('automation.throttled', { ...of, event_type: type, max_per_hour, window_started_at }, about as never),
      )
    }
    budget.told = true
    return false
  }

  function failed({ id, name, workspace_id }: Rule, slug: string): void {
    const count = (failures.get(id) ?? 0) + 1
    failures.set(id, count)
    if (count !== mostFailures) return
    const item = {
      kind: 'automation_enqueue_failed',
      source: id,
      target: { role: 'MANAGER' },
      title: `The automation "${name}" begins nothing`,
      body: slug ? `The routine "${slug}" is gone, disabled or not approved.` : 'It names no routine.',
      priority: 'high',
      payload: { automation_id: id, routine_slug: slug },
    } as const
    raise(app, { ...item, workspace: workspace_id, now: app.now() }, 'upsert')
  }

  app.bus.on('entry', hear)
  return {
    close() {
      app.bus.off('entry', hear)
      void flush()
    },
  }
}
