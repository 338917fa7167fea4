import type { Entry } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import { find } from '../journal/service.ts'
import { type CrewRow, queries } from './queries.ts'

/** Entries that a run takes beyond those that are new, the first marked first. */
const most = 100

/** Has an entry of a crew that is to stay for ever wait for a model to read it, whatever its age. */
export function notePermanent({ db }: App, { payload, about }: Happened<'memory.priority_changed'>): void {
  const { workspace_id: workspace, crew_id: crew } = about
  const { target_entry_id: entry, new_priority } = payload
  queries(db).unnote.run(entry)
  if (new_priority !== 'permanent' || !workspace || !crew || !queries(db).crew.get(workspace, crew)) return
  queries(db).note.run(entry, crew)
}

/** Entries of a crew that wait to be read. */
export const waitingOf = (app: App, { id, workspace_id }: CrewRow): Entry[] =>
  queries(app.db)
    .waiting.all(id, most)
    .flatMap(({ entry_id }) => find(app, workspace_id, entry_id) ?? [])

/** They were read; those that were marked meanwhile wait on. */
export function forgetRead({ db }: App, entries: readonly Entry[]): void {
  for (const { id } of entries) queries(db).unnote.run(id)
}
