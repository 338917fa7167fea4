import type { bootstrap } from '#contract/bootstrap'
import type { App } from '#kernel/app'
import { checkPassword } from '#kernel/common-passwords'
import type { Call } from '#kernel/feature'
import { cleanName } from '#kernel/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { handOver, prepareSession, storeSession } from '../sessions/service.ts'
import { mint } from '../tokens/service.ts'
import { createFirst, exist } from '../users/service.ts'
import { found } from '../workspaces/service.ts'

/** Refuses once there is a user, or when the time given by SVC_BOOTSTRAP_WINDOW is over. */
export function checkOpen(app: App): void {
  if (anyUser(app)) throw problem('already_initialized')
  const { bootstrapWindow } = app.config
  if (bootstrapWindow && app.clock() - app.startedAt > bootstrapWindow * 1000)
    throw problem('bootstrap_closed', { detail: 'The time to create the first user is over; restart the daemon to open it again' })
}

function anyUser(app: App): boolean {
  try {
    return exist(app)
  } catch (error) {
    app.log.error({ err: error }, 'The users cannot be read')
    throw problem('unavailable', { detail: 'The database does not answer' })
  }
}

/** What takes its time or may be refused before anything is written. */
export async function prepare(app: App, { body }: Call<typeof bootstrap.create>) {
  const full_name = cleanName('full_name', body.full_name, { min: 2, max: 100, unit: 'characters' })
  checkPassword('password', body.password)
  return { full_name, password_hash: await app.passwords.hash(body.password) }
}

/** The first user with its workspace and token, all or nothing: of many who try at once, one succeeds. */
export function create(app: App, { body, now }: Call<typeof bootstrap.create>, { full_name, password_hash }: { full_name: string; password_hash: string }) {
  const email = body.email.toLowerCase()
  const user = createFirst(app, { id: newId(app.clock()), email, full_name, password_hash, now })
  if (!user) throw problem('already_initialized')
  const workspace = defaultWorkspace(full_name, email, newId(app.clock()))
  found(app, { ...workspace, owner: user.id, now, home: true }, workspace.id)
  const about = { actor_type: 'user' as const, actor_id: user.id, workspace_id: workspace.id, type: 'audit.entity_created' as const }
  for (const [entity_type, entity_id] of [
    ['user', user.id],
    ['workspace', workspace.id],
  ] as const)
    app.journal({
      ...about,
      summary: `${entity_type} ${entity_id} created`,
      payload: { action: 'create', entity_type, entity_id },
      refs: { entity_type, entity_id },
    })
  const { raw } = mint(app, { user: user.id, name: 'bootstrap', via: 'bootstrap', now })
  return { user_id: user.id, email, workspace_id: workspace.id, cli_token: raw }
}

type Made = ReturnType<typeof create>

/** Signs the browser in. Without a session the account is still there, which the answer says. Contract part 1, section 3.2. */
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

/** Name and slug of a workspace that nobody chose. Contract part 1, section 3.1. */
export function defaultWorkspace(fullName: string, email: string, id: string): { id: string; name: string; slug: string } {
  const tail = `-${id.slice(0, 8)}`
  const head =
    email
      .split('@', 1)[0]!
      .replace(/[^a-z0-9-]/g, '-')
      .replace(/^-+/, '') || 'workspace'
  const suffix = "'s Workspace"
  return { id, name: [...fullName].slice(0, 100 - suffix.length).join('') + suffix, slug: head.slice(0, 50 - tail.length) + tail }
}
