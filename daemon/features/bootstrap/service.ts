import type { bootstrap } from '#contract/bootstrap'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { foundOwn, mayBegin, type Newcomer } from '../accounts/service.ts'
import { handOver, prepareSession, storeSession } from '../sessions/service.ts'
import { mint } from '../tokens/service.ts'
import { createFirst, exist } from '../users/service.ts'

/** Refuses once there is a user, or when the time given by SVC_BOOTSTRAP_WINDOW is over. */
export function checkOpen(app: App): void {
  if (anyUser(app)) throw problem('already_initialized')
  if (!mayBegin(app))
    throw problem('bootstrap_closed', {
      detail: 'The time to create the first user is over; restart the daemon to open it again',
    })
}

function anyUser(app: App): boolean {
  try {
    return exist(app)
  } catch (error) {
    app.log.error({ err: error }, 'The users cannot be read')
    throw problem('unavailable', { detail: 'The database does not answer' })
  }
}

/** The first user with a workspace and a token, all or nothing. Of concurrent attempts, one succeeds. */
export function create(
  app: App,
  { now }: Call<typeof bootstrap.create>,
  { email, full_name, password_hash }: Newcomer,
) {
  checkOpen(app)
  const user = createFirst(app, { id: newId(app.clock()), email, full_name, password_hash, now })
  if (!user) throw problem('already_initialized')
  const workspace_id = foundOwn(app, { id: user.id, email, full_name, now })
  const { raw } = mint(app, { user: user.id, name: 'bootstrap', via: 'bootstrap', now })
  return { user_id: user.id, email, workspace_id, cli_token: raw }
}

type Made = ReturnType<typeof create>

/** Signs the browser in. If that fails, the account still exists and the answer says so. */
export async function enter(app: App, { body, web, now }: Call<typeof bootstrap.create>, made: Made): Promise<Made> {
  if (!web) return made
  try {
    const opening = await prepareSession(app, { id: made.user_id, email: made.email, full_name: body.full_name })
    await app.write(() => storeSession(app, opening, { web, via: 'bootstrap', now }))
    handOver(web, opening)
  } catch (error) {
    app.log.error({ err: error }, 'The first user could not be signed in')
    web.reply.code(200).send({ ...made, session_pending: true })
  }
  return made
}
