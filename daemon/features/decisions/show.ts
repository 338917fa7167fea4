import type { Static } from 'typebox'
import type { decisions } from '#contract/decisions'
import type { App } from '#kernel/app'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { sees } from '../inbox/service.ts'
import { kindOf } from './kinds.ts'
import { type Row as Decision, queries } from './queries.ts'
import { decidesOf, settleDue } from './service.ts'

/** A decision by its own id or by that of its card. Foreign, unseen and absent ids are answered alike. */
export async function show(
  app: App,
  { actor, decisionId }: Call<typeof decisions.show>,
): Promise<Static<typeof decisions.show.reply>> {
  await settleDue(app)
  const { find, ofItem } = queries(app.db)
  const row = find.get(actor.workspace, decisionId) ?? ofItem.get(actor.workspace, decisionId)
  if (!row || !maySee(app, actor, row))
    throw problem('not_found', { field: 'decisionId', detail: 'There is no such decision' })
  const { id, kind, state, item_id, run_id, deadline_at, created_at } = row
  return { id, kind, state, item_id, run_id, deadline_at, created_at, decides: decidesOf(app, row) }
}

/** What is decided in the inbox alone is seen there alone; other kinds are shown to members by their own operations. */
const maySee = (app: App, actor: Actor, row: Decision): boolean =>
  kindOf(row).operation !== 'inbox.act' || sees(app, actor, row.item_id)
