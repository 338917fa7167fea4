import { setImmediate as turn } from 'node:timers/promises'
import type { Acting } from '#contract/entries'
import type { triage } from '#contract/triage'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { triaged, untriaged } from '../issues/triage/service.ts'
import { queries, type Row } from './queries.ts'
import { type Matches, matcher } from './rules.ts'
import { wordsOf } from './service.ts'

interface Match {
  issue: string
  rule: Row
}

export interface Found {
  processed: number
  matches: Match[]
}

type Process = Call<typeof triage.process>

/** Issues that are changed in one transaction. */
const batch = 4
/** Milliseconds after which others have their turn: a request takes about ten turns until it is answered. */
const patience = 1

/** The first rule of each issue, found while others go on. */
export async function match(app: App, { actor }: Process): Promise<Found> {
  const others = turns()
  const rules = await readable(app, queries(app.db).enabled.all(actor.workspace), others)
  if (!rules.length) return { processed: 0, matches: [] }
  const matches: Match[] = []
  let processed = 0
  for (const { id, title } of untriaged(app, actor.workspace)) {
    processed++
    const found = rules.find(({ matches }) => matches(title))
    if (found) matches.push({ issue: id, rule: found.rule })
    await others()
  }
  return { processed, matches }
}

/** Lets others have their turn when its time has come. */
function turns(): () => Promise<void> | undefined {
  let since = performance.now()
  return () => {
    if (performance.now() - since < patience) return undefined
    return turn().then(() => {
      since = performance.now()
    })
  }
}

/** Does what the rules say with the first issues; the others follow. */
export const begin = (app: App, call: Process, { matches }: Found): number => apply(app, call, matches.slice(0, batch))

/** Does what the rules say with the other issues, and tells how many there were. */
export async function finish(app: App, call: Process, done: number, { processed, matches }: Found) {
  let matched = done
  for (let at = batch; at < matches.length; at += batch)
    matched += await app.write(() => apply(app, call, matches.slice(at, at + batch)))
  const payload = { processed: String(processed), matched: String(matched) }
  if (matched) app.broadcast({ channel: `workspace:${call.actor.workspace}`, type: 'triage.processed', payload })
  return { processed, matched }
}

function apply(app: App, { actor, now }: Process, matches: readonly Match[]): number {
  const by: Acting = actorOf(actor)
  const { find, matched } = queries(app.db)
  const counts = new Map<string, number>()
  for (const { issue, rule } of matches) {
    // What people have changed meanwhile stays as they want it.
    const current = find.get(actor.workspace, rule.id)
    if (!current?.enabled || !triaged(app, actor.workspace, issue, current, by, now)) continue
    counts.set(rule.id, (counts.get(rule.id) ?? 0) + 1)
  }
  let all = 0
  for (const [rule, times] of counts) {
    matched.run(times, rule)
    all += times
  }
  return all
}

interface Readable {
  rule: Row
  matches: Matches
}

/** The rules that can be read; the others are left out with a warning. */
async function readable(app: App, rules: readonly Row[], others: () => Promise<void> | undefined): Promise<Readable[]> {
  const found: Readable[] = []
  for (const rule of rules) {
    try {
      found.push({ rule, matches: matcher(rule.pattern, rule.match_type) })
    } catch (error) {
      app.log.warn({ rule: rule.id, reason: wordsOf(error) }, 'A triage rule cannot be read and is left out')
    }
    await others()
  }
  return found
}
