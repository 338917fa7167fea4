import type { App } from '#kernel/app'
import type { Failures } from './failures.ts'
import type { Subject } from './queries.ts'
import { carryOut } from './slices.ts'
import { rules } from './tables.ts'

export interface Erased {
  /** Rows that are gone and rows that name nobody any more, by table. */
  deleted: Record<string, number>
  unnamed: Record<string, number>
  /** Whether a membership ended. */
  left: boolean
}

/**
 * Erases the rows, then the membership, then what came in between. First the rows, since whatever hangs on a membership
 * goes within one change when that ends.
 */
export async function eraseRows(app: App, subject: Subject, parts: Failures, leave: () => boolean): Promise<Erased> {
  const deleted: Erased['deleted'] = { peer_cards: 0, memory_versions: 0, inbox_items: 0, user_models: 0 }
  const unnamed: Erased['unnamed'] = {}
  async function pass(late: boolean): Promise<void> {
    for (const [index, rule] of rules.entries()) {
      if (rule.late && !late) continue
      const done = (await parts.unless(rule.table, () => carryOut(app, index, subject))) ?? 0
      const counts = rule.set ? unnamed : deleted
      if (done) counts[rule.table] = (counts[rule.table] ?? 0) + done
    }
  }
  await pass(false)
  const left = await parts.unless('workspace_members', () => app.write(leave))
  await pass(true)
  return { deleted, unnamed, left: left === true }
}
