import type { Static } from 'typebox'
import type { Delivery, deliveries } from '#contract/deliveries'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { queries, type Row } from './queries.ts'

const present = ({
  event_id,
  message_json,
  next_at,
  digest_id,
  error,
  sent_at,
  user_id,
  ...row
}: Row): Static<typeof Delivery> => ({
  ...row,
  user_id: user_id ?? '',
  ...(error !== null && { error }),
  ...(sent_at !== null && { sent_at }),
})

/** Each kind of list reads an index of its own, from its newest end. */
function statement(db: App['db'], { channel, category, status }: Record<'channel' | 'category' | 'status', unknown>) {
  const { list, withStatus, ofCategory, ofChannel } = queries(db)
  if (channel !== null) return ofChannel
  if (category !== null) return ofCategory
  return status === null ? list : withStatus
}

export function list({ db }: App, { actor, query }: Call<typeof deliveries.list>) {
  const { status = null, channel_id: channel = null, category = null, limit } = query
  const asked = pageOf({ ...(limit !== undefined && { limit }) }, { fallback: 100, max: 501 }).limit
  const filter = { workspace: actor.workspace, status, channel, category, limit: asked > 500 ? 100 : asked }
  return { deliveries: statement(db, filter).all(filter).map(present) }
}
