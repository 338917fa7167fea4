import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import type { NotificationTemplate, templates } from '#contract/templates'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { channelsFor } from '../channels/service.ts'
import { queries, type Row } from './queries.ts'
import { inWords, type Said, unknownIn } from './rules.ts'

type Shown = Static<typeof NotificationTemplate>

const present = ({ category, channel_id, title, body }: Row): Shown => ({
  category,
  ...(channel_id && { channel_id }),
  title,
  body,
})

export const list = ({ db }: App, { actor }: Call<typeof templates.notifications>) => ({
  templates: queries(db).list.all(actor.workspace).map(present),
})

const record = (app: App, actor: Actor, what: 'updated' | 'deleted', category: string) =>
  app.journal(
    fact(
      `notification_template.${what}`,
      { entity_id: category, name: category },
      { workspace_id: actor.workspace, ...actorOf(actor) },
    ),
  )

/** Without any words the template is removed. */
export function set(app: App, { actor, body: given, now }: Call<typeof templates.setNotification>): Shown {
  const { category, channel_id = '', title = '', body = '' } = given
  const { workspace } = actor
  if (channel_id && !channelsFor(app, workspace, actor.id).some(({ id }) => id === channel_id))
    throw problem('invalid_field', { field: 'channel_id', detail: 'channel_id must name a channel of the workspace' })
  for (const [field, text] of Object.entries({ title, body })) {
    const unknown = unknownIn(text)
    if (unknown !== undefined)
      throw problem('invalid_field', {
        field,
        detail: `There is no {{ ${unknown} }}: there are vars.NAME and source.title, body, category and kind`,
      })
  }
  const row: Row = { workspace_id: workspace, category, channel_id, title, body }
  if (title.trim() || body.trim()) {
    queries(app.db).set.run({ ...row, now })
    record(app, actor, 'updated', category)
  } else remove(app, { actor, query: { category, channel_id } })
  return present(row)
}

export function remove(
  app: App,
  { actor, query }: Pick<Call<typeof templates.removeNotification>, 'actor' | 'query'>,
): undefined {
  const { category, channel_id = '' } = query
  if (queries(app.db).remove.get(actor.workspace, category, channel_id)) record(app, actor, 'deleted', category)
}

/** What a channel tells of something, in the words of the workspace where it has such. */
export function worded(
  { db }: App,
  { workspace, channel, ...source }: Parameters<typeof inWords>[1] & { workspace: string; channel: string },
): Said {
  const template = queries(db).best.get(workspace, source.category, channel)
  return template ? inWords(template, source) : { title: source.title, body: source.body }
}

export const forgetChannel = ({ db }: App, { payload, about }: Happened<'notification_channel.deleted'>): void =>
  void queries(db).leave.run(about.workspace_id!, payload.entity_id)

export const drop = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).drop.run(payload.entity_id)
