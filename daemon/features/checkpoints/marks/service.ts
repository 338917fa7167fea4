import type { Static } from 'typebox'
import type { MarkedFiles } from '#contract/checkpoints'
import type { App } from '#kernel/app'
import { type MarkRow, queries } from './queries.ts'

type Known = Omit<Static<typeof MarkedFiles>, 'state'>

export const markOf = ({ db }: App, checkpoint: string): MarkRow | undefined => queries(db).find.get(checkpoint)

/** The marks of a crew that something needs. */
export const keptMarks = ({ db }: App, crew: string): string[] => queries(db).kept.all({ crew })

/** Records how marking the files went. To be called within a change. */
export const settleMark = ({ db }: App, checkpoint: string, state: 'marked' | 'failed', known: Known): void =>
  void queries(db).settle.run(state, JSON.stringify(known), checkpoint)

/** Records what a daemon before this one did not finish. To be called within a change. */
export function failLeftMarks(app: App): void {
  for (const { id } of queries(app.db).left.all())
    settleMark(app, id, 'failed', { reason: 'The server was restarted while the files were marked' })
}
