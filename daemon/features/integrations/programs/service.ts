import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { serversFor } from '../find.ts'
import { sessionsOf } from '../gateway/sessions.ts'

/** The servers of a crew that are programs, by id. */
export function programsFor(app: App, workspace: string, crewId: string): string[] {
  const { workspace: shared, crew } = serversFor(app, workspace, crewId)
  return [...shared, ...crew].flatMap(({ id, transport }) => (transport === 'stdio' ? [id] : [])).sort()
}

const shown = new Set(['display_name', 'icon', 'config_json'])

/** A program that is not the server's any more ends at once, with what it was given. */
export function endPrograms(app: App, { payload }: Happened<'integration.updated' | 'integration.deleted'>): void {
  const changed = (payload.metadata as { changed?: string[] } | undefined)?.changed
  if (!changed?.every((member) => shown.has(member))) sessionsOf(app).endPrograms(payload.entity_id)
}
