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
  ...row
}: Row): Static<typeof Delivery> => ({
  ...row,
  ...(error !== null && { error }),
  ...(sent_at !== null && { sent_at }),
})

export function list({ db }: App, { actor, query }: Call<typeof deliveries.list>) {
  const { status = null, channel_id: channel = null, category = null, limit } = query
  const asked = pageOf({ ...(limit !== undefined && { limit }) }, { fallback: 100, max: 501 }).limit
  const filter = { workspace: actor.workspace, status, channel, category, limit: asked > 500 ? 100 : asked }
  return { deliveries: queries(db).list.all(filter).map(present) }
}
