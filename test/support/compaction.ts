import type { Entry } from '#contract/entries'
import { closing, type TestDaemon } from '#test'
import { compactJournals } from '../../daemon/features/journal/compaction/jobs.ts'
import { type RawEntry, rawEntry } from './raw-entry.ts'

const day = 86_400_000

/** Records so many entries at the present time, in one change. */
export function record(it: TestDaemon, count: number, more: Partial<RawEntry> = {}): void {
  it.app.writeNow(() => {
    for (let n = 1; n <= count; n++)
      rawEntry(it.app, {
        workspace_id: it.workspace,
        type: 'llm.call',
        actor_type: 'system',
        summary: `call ${n}`,
        payload: { model: 'small', n },
        ...more,
      })
  })
}

export const pass = (it: TestDaemon, days: number): void => void it.clock.advance(days * day)

/** The entry that ends the next compaction of the workspace. */
export const compacted = (it: TestDaemon): Promise<Entry> =>
  new Promise((resolve) => {
    const hear = ({ entry }: { entry: Entry }) => {
      if (entry.payload?.['entries_deleted'] === undefined) return
      it.app.bus.off('entry', hear)
      resolve(entry)
    }
    it.app.bus.on('entry', hear)
  })

/** Starts the job that compacts, and waits for the end of its first compaction. */
export async function compact(it: TestDaemon): Promise<Entry> {
  const over = compacted(it)
  closing(compactJournals(it.app))
  return over
}
