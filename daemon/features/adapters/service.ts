import type { adapters } from '#contract/adapters'
import type { Reply } from '#contract/define'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { findCrew } from '../crews/service.ts'

/** What this version can run, and what of it a crew has. */
export async function listAdapters(
  app: App,
  { actor, query }: Call<typeof adapters.list>,
): Promise<Reply<typeof adapters.list>> {
  const crew = query.crew_id ? findCrew(app, actor.workspace, query.crew_id) : null
  return { adapters: await app.runtime.adapters(crew?.id ?? null) }
}
