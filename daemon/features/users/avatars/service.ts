import type { users } from '#contract/users'
import type { App } from '#kernel/app'
import type { Call, Web } from '#kernel/feature'
import { fileOf } from '#kernel/http/multipart'
import { problem } from '#kernel/problem'
import type { Row as User } from '../queries.ts'
import { setAvatarUrl } from '../service.ts'
import { queries, type Row } from './queries.ts'
import { avatarLimits, inspectAvatar } from './rules.ts'

/** The picture within the request, judged by its own bytes. */
export async function prepare({ web }: Call<typeof users.setAvatar>): Promise<Row> {
  const { headers, body } = web!.request
  const bytes = await fileOf('file', { type: headers['content-type'], body, most: avatarLimits.bytes })
  if (!bytes)
    throw problem('missing_field', { field: 'file', detail: 'file is required, in a multipart/form-data body' })
  return { media_type: inspectAvatar(bytes), bytes }
}

export function set(app: App, { actor, now }: Call<typeof users.setAvatar>, avatar: Row): User {
  const user = setAvatarUrl(app, actor.id, `/api/v1/users/${actor.id}/avatar?v=${nanoseconds(app)}`, now)
  queries(app.db).put.run({ user: actor.id, ...avatar, now })
  return user
}

/** Since 1970; the clock counts milliseconds, so two pictures within one differ by the rest. */
const nanoseconds = ({ clock }: App): string =>
  `${clock()}${String(process.hrtime.bigint() % 1_000_000n).padStart(6, '0')}`

export function remove(app: App, { actor, now }: Call<typeof users.removeAvatar>): User {
  queries(app.db).remove.run(actor.id)
  return setAvatarUrl(app, actor.id, null, now)
}

/**
 * Sends the bytes as they came, in a way that no browser runs them. A user without a picture answers like no user at
 * all.
 */
export function send({ db }: App, { userId, web }: Call<typeof users.avatar> & { web: Web }): Buffer {
  const avatar = queries(db).find.get(userId)
  if (!avatar) throw problem('not_found', { field: 'userId' })
  web.reply.headers({
    'content-type': avatar.media_type,
    'cache-control': 'private, max-age=300',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': 'inline; filename="avatar"',
  })
  return avatar.bytes
}

/** What is stored of a user's picture, for the user. */
export const stored = ({ db }: App, user: string): Row | null => queries(db).find.get(user) ?? null
