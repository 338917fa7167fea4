import type { consolidate, LearnedRule } from '#contract/consolidate'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { scoresOf } from './recalls.ts'
import { find, toProposal } from './service.ts'

export async function explain(
  app: App,
  { actor, proposalId }: Call<typeof consolidate.explain>,
): Promise<Reply<typeof consolidate.explain>> {
  const row = find(app, actor.workspace, proposalId)
  const { crew_slug: _slug, reason: _reason, ...about } = toProposal(row)
  const rules = JSON.parse(row.evidence_json) as LearnedRule[]
  const { scored, cited } = await scoresOf(app, row, rules)
  const scores = Object.fromEntries(scored.map(({ rule, score }) => [rule.pattern, score]))
  const entries = cited.map(({ id, ts, entry_type, summary }) => ({ id, ts, entry_type, summary }))
  return { ...about, evidence: rules, scores, entries }
}
