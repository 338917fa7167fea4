import type { Static } from 'typebox'
import type { Entry } from '#contract/entries'
import type { AutonomyLevel, BehaviorMode, policies } from '#contract/policies'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { walk } from '../../journal/service.ts'
import type { Verdict } from '../rules.ts'
import { show } from '../service.ts'
import { goesThrough, type Judgement, judge, judgedTypes, verdictUnder } from './rules.ts'

type Simulated = Static<typeof policies.simulate.reply>

/** The most entries that are read, which bounds the answer and its time. */
export const entryLimit = 5000
const differenceLimit = 100
const defaultSpanMs = 30 * 86_400_000
/** Counts approvals whose action no entry names. */
const unknownAction = 'unknown'

/** Replays what the journal holds of a crew under another policy. */
export async function simulate(app: App, { actor, crewId, query }: Call<typeof policies.simulate>): Promise<Simulated> {
  const now = show(app, { actor, crewId } as Call<typeof policies.show>)
  const level = query.autonomy_level
  const mode = query.behavior_mode ?? (level === 'full' ? 'warn' : now.behavior_mode)
  if (level === 'full' && mode === 'block') throw problem('forbidden_pairing', { field: 'behavior_mode' })
  const until = app.now()
  const since = query.since?.trim() || new Date(Date.parse(until) - defaultSpanMs).toISOString()
  const filter = { crew_id: crewId, entry_type: judgedTypes.join(','), since }
  const entries: Entry[] = []
  let truncated = false
  for await (const page of walk(app, actor.workspace, filter)) {
    const room = entryLimit - entries.length
    entries.push(...page.slice(0, room))
    truncated = page.length > room
    if (truncated) break
  }
  return {
    crew_id: crewId,
    autonomy_level: level,
    behavior_mode: mode,
    since,
    until,
    entries: entries.length,
    truncated,
    ...(truncated && { covered_since: entries.at(-1)!.ts }),
    ...replay(entries, level, mode),
  }
}

type Told = { entry: Entry; it: Judgement }

/** What the entries, newest first, come to under a policy. */
export function replay(entries: readonly Entry[], level: AutonomyLevel, mode: BehaviorMode) {
  const told = entries.flatMap((entry): Told[] => {
    const it = judge(entry)
    return it ? [{ entry, it }] : []
  })
  const requested = new Map<string, string>()
  const settled = new Set<string>()
  for (const { it } of told) {
    if (it.kind === 'asked' && it.approval && it.action) requested.set(it.approval, it.action)
    if ((it.kind === 'decided' || it.kind === 'unanswered') && it.approval) settled.add(it.approval)
  }
  const count = new Tally(level, mode)
  for (const { entry, it } of told) {
    if (it.kind === 'applied') count.applied(it.action)
    else {
      const action = it.action ?? (it.approval ? requested.get(it.approval) : undefined) ?? unknownAction
      if (it.kind === 'decided') count.decided(entry, action, it.outcome)
      // A question that was answered is counted by its answer.
      else if (it.kind === 'unanswered' || !it.approval || !settled.has(it.approval)) count.held(action)
    }
  }
  return count.result
}

class Tally {
  private readonly level: AutonomyLevel
  private readonly mode: BehaviorMode
  private readonly decisions = { total: 0, granted: 0, denied: 0, still_asked: 0, no_longer_asked: 0, refused: 0 }
  private readonly unanswered = { total: 0, still_held: 0, no_longer_held: 0, refused: 0 }
  private readonly done = { total: 0, newly_asked: 0, refused: 0 }
  private readonly differences: Simulated['differences'] = []
  private differencesTotal = 0
  private readonly actions = new Map<string, Simulated['by_action'][number]>()

  constructor(level: AutonomyLevel, mode: BehaviorMode) {
    this.level = level
    this.mode = mode
  }

  decided({ id, ts, entry_type, summary }: Entry, action: string, outcome: 'granted' | 'denied'): void {
    const would = this.note(action, outcome)
    this.decisions.total++
    this.decisions[outcome]++
    if (would === 'ask') this.decisions.still_asked++
    else if (would === 'refuse') this.decisions.refused++
    else this.decisions.no_longer_asked++
    if (would === 'ask' || goesThrough(would) === (outcome === 'granted')) return
    this.differencesTotal++
    if (this.differences.length < differenceLimit)
      this.differences.push({ entry_id: id, ts, entry_type, policy_action: action, outcome, would, summary })
  }

  held(action: string): void {
    const would = this.note(action, 'held')
    this.unanswered.total++
    if (would === 'ask') this.unanswered.still_held++
    else if (would === 'refuse') this.unanswered.refused++
    else this.unanswered.no_longer_held++
  }

  applied(action: string): void {
    const would = this.note(action, 'applied')
    this.done.total++
    if (would === 'ask') this.done.newly_asked++
    else if (would === 'refuse') this.done.refused++
  }

  get result() {
    return {
      decisions: this.decisions,
      held: this.unanswered,
      applied: this.done,
      differences: this.differences,
      differences_total: this.differencesTotal,
      by_action: [...this.actions.values()].sort((a, b) => (a.policy_action < b.policy_action ? -1 : 1)),
    }
  }

  private note(action: string, column: 'granted' | 'denied' | 'held' | 'applied'): Verdict {
    const verdict = verdictUnder(action, this.level, this.mode)
    const row = this.actions.get(action) ?? {
      policy_action: action,
      verdict,
      granted: 0,
      denied: 0,
      held: 0,
      applied: 0,
    }
    row[column]++
    this.actions.set(action, row)
    return verdict
  }
}
