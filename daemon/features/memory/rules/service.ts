import type { LearnedRule } from '#contract/consolidate'
import type { Reply } from '#contract/define'
import { type memoryRules, type RuleOutcome, unhelpfulDays } from '#contract/memory-rules'
import { type App, wholeSeconds } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { readFile } from '../service.ts'
import { queries, type RuleRow, type Use } from './queries.ts'

const day = 86_400_000
/** Runs that a list tells of each rule. */
const told = 20

/** A rule as it stands in a memory file: its first two lines, by which it is known. */
export const ruleHead = ({ pattern, action }: Pick<LearnedRule, 'pattern' | 'action'>): string =>
  `- **Pattern:** ${pattern}  \n  **Action:** ${action}  `

/** Ends of lines and marks of quotations say nothing about whether a rule is there. */
const bare = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^> ?/, '').trimEnd())
    .join('\n')

interface Learned {
  workspace_id: string
  crew_id: string
  proposal_id: string
  file: string
  rules: readonly LearnedRule[]
  now: string
}

/** Keeps a record of rules that were approved. */
export function noteLearned({ db }: App, { rules, now, ...about }: Learned): void {
  for (const [at, rule] of rules.entries())
    queries(db).insert.run({
      ...about,
      id: `lr_${about.proposal_id.slice(3)}_${at}`,
      rule_json: JSON.stringify(rule),
      learned_at: now,
    })
}

/** The rules of a crew that stand in its memory as they were learned, the newest first. */
export const learnedBy = (app: App, crew: string): LearnedRule[] =>
  queries(app.db)
    .ofCrew.all(crew)
    .filter((row) => isPresent(app, { ...row, crew_id: crew }))
    .map(({ rule_json }) => JSON.parse(rule_json) as LearnedRule)

/** The rules of a crew that stand in a text which a run is given, whole. */
export function rulesIn({ db }: App, crew: string | null, text: string): number[] {
  if (!crew || !text.includes('**Pattern:**')) return []
  const given = bare(text)
  return queries(db)
    .ofCrew.all(crew)
    .filter(({ rule_json }) => given.includes(bare(ruleHead(JSON.parse(rule_json) as LearnedRule))))
    .map(({ number }) => number)
}

/** Records that a run was given rules: once each, however often it is started. */
export function noteUses({ db }: App, run: string, rules: readonly number[], now: string): void {
  for (const rule of rules) queries(db).use.run({ rule, run, now })
}

/** Somebody spoke to a run while it worked. */
export const noteSteered = ({ db }: App, run: string): void => void queries(db).steer.run(run)

/** How a run ended, as far as a rule is concerned: what people did about it counts before its own word. */
export function outcomeOf({ steered, redirected, refused, status }: Omit<Use, 'run_id' | 'used_at'>): RuleOutcome {
  if (status === 'RUNNING' || status === null) return 'running'
  if (refused || status === 'CANCELLED') return 'corrected'
  if (steered || redirected) return 'redirected'
  return status === 'COMPLETED' ? 'completed' : 'failed'
}

export function rules(app: App, { actor, query }: Call<typeof memoryRules.rules>): Reply<typeof memoryRules.rules> {
  const window = {
    workspace: actor.workspace,
    crew: query.crew_id ?? null,
    ...pageOf(query, { fallback: 50, max: 100 }),
  }
  const found = queries(app.db).list.all(window)
  return { count: found.length, rules: found.map((row) => shown(app, row)) }
}

function shown(app: App, row: RuleRow) {
  const { pattern, action, confidence } = JSON.parse(row.rule_json) as LearnedRule
  const uses = usesOf(app, row)
  const of = (outcome: RuleOutcome) => uses.filter((use) => use.outcome === outcome).length
  return {
    rule_id: row.id,
    crew_id: row.crew_id,
    crew_slug: row.crew_slug,
    pattern,
    action,
    confidence,
    path: `crew:${row.crew_id}/${row.file}`,
    proposal_id: row.proposal_id,
    learned_at: row.learned_at,
    present: isPresent(app, row),
    ...(row.reviewed_at && { reviewed_at: row.reviewed_at }),
    uses: uses.length,
    completed: of('completed'),
    failed: of('failed'),
    corrected: of('corrected'),
    redirected: of('redirected'),
    running: of('running'),
    ...(uses[0] && { last_used_at: uses[0].used_at }),
    runs: uses.slice(0, told),
  }
}

const usesOf = ({ db }: App, { workspace_id, number }: RuleRow) =>
  queries(db)
    .uses.all(workspace_id, number)
    .map(({ run_id, used_at, ...how }) => ({ run_id, used_at, outcome: outcomeOf(how) }))

/** Whether a rule still stands in its file as it was learned. */
const isPresent = (app: App, { crew_id, file, rule_json }: Pick<RuleRow, 'crew_id' | 'file' | 'rule_json'>): boolean =>
  bare(readFile(app, crew_id, file)?.content ?? '').includes(bare(ruleHead(JSON.parse(rule_json) as LearnedRule)))

/**
 * Rules of which nobody was asked for thirty days and that helped no run since, by crew and file; from then on people
 * count as asked.
 */
export function takeUnhelpful(app: App, now: string, most: number): Map<string, RuleRow[]> {
  const { old, review, remove } = queries(app.db)
  const byFile = new Map<string, RuleRow[]>()
  for (const row of old.all(wholeSeconds(app.clock() - unhelpfulDays * day), most)) {
    const since = row.reviewed_at ?? row.learned_at
    const helped = usesOf(app, row).some(({ outcome, used_at }) => outcome === 'completed' && used_at >= since)
    review.run(now, row.number)
    // What somebody took out of the file by hand needs no proposal.
    if (!isPresent(app, row)) remove.run(now, row.id, row.crew_id)
    else if (!helped)
      byFile.set(`${row.crew_id} ${row.file}`, [...(byFile.get(`${row.crew_id} ${row.file}`) ?? []), row])
  }
  return byFile
}

/** People took these rules out of the memory of a crew. */
export function noteRemoved({ db }: App, crew: string, ids: readonly string[], now: string): void {
  for (const id of ids) queries(db).remove.run(now, id, crew)
}

export const forgetRulesOf = ({ db }: App, crew: string): void => void queries(db).forget.run(crew)
