import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { cleanName } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { queries, type Row } from '../queries.ts'
import { checkLanguage, found } from '../service.ts'

interface Setup {
  actor: Actor
  name: string
  /** The beginning of the slug of a new workspace. */
  slug: string
  preferred_language: string | undefined
  now: string
}

/**
 * Names the oldest workspace that the caller owns and that holds nothing, or creates one, and journals it. Returns its
 * id.
 */
export function setUpWorkspace(app: App, given: Setup): string {
  checkLanguage(given.preferred_language)
  const name = cleanName('name', given.name, { min: 2, max: 100, unit: 'characters' })
  const setup = { ...given, name, preferred_language: given.preferred_language?.trim() || undefined }
  const before = queries(app.db).untouched.get(given.actor.id)
  return before ? rename(app, before, setup) : create(app, setup)
}

function rename(app: App, before: Row, { actor, name, preferred_language, now }: Setup): string {
  const { id, slug } = before
  const language = preferred_language ?? before.preferred_language
  queries(app.db).update.get({ ...before, name, preferred_language: language, updated_at: now })
  const changed = preferred_language ? ['name', 'preferred_language'] : ['name']
  const about = { workspace_id: id, ...actorOf(actor) }
  app.journal(fact('workspace.updated', { entity_id: id, name: slug, metadata: { changed } }, about))
  app.broadcast({ channel: `workspace:${id}`, type: 'workspace.updated', payload: { id } })
  return id
}

function create(app: App, { actor, name, slug, preferred_language, now }: Setup): string {
  const id = newId(app.clock())
  const draft = { name, slug: `${slug.slice(0, 41)}-${id.slice(-8)}`, owner: actor.id, now }
  const row = found(app, { ...draft, ...(preferred_language && { preferred_language }) }, id)
  if (!row) throw new Error('No slug is free for the workspace that is set up')
  const about = { workspace_id: id, ...actorOf(actor) }
  app.journal(fact('workspace.created', { entity_id: id, name: row.slug }, about))
  return id
}
