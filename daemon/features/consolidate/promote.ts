import type { App } from '#kernel/app'
import { learnedBy } from '../memory/rules/service.ts'
import { mayStage, stage } from '../skills/proposals/service.ts'
import { folded } from './parse.ts'
import { type CrewRow, queries } from './queries.ts'
import { scoresOf } from './recalls.ts'
import { isWorthSkill } from './score.ts'

/** Proposes rules of a crew's memory that are looked up again and again as skills; returns of how many. */
export async function promote(app: App, crew: CrewRow): Promise<number> {
  const rules = learnedBy(app, crew.id).filter(({ pattern }) => mayStage(app, crew.id, folded(pattern)))
  if (!rules.length) return 0
  const { scored } = await scoresOf(app, { workspace_id: crew.workspace_id, crew_id: crew.id }, rules)
  const worth = scored.filter(({ score }) => isWorthSkill(score))
  if (!worth.length) return 0
  return app.write(() => {
    if (!queries(app.db).crew.get(crew.workspace_id, crew.id)) return 0
    const now = app.now()
    return worth.filter(({ rule, score }) => stage(app, { crew, rule, pattern: folded(rule.pattern), score, now }))
      .length
  })
}
