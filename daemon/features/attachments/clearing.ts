import type { App } from '#kernel/app'
import { clearIncoming, removeBlob } from './blobs.ts'
import { type AttachmentRow, queries } from './queries.ts'
import { folderOf } from './rules.ts'

const hourMs = 3_600_000

/** Removes the bytes of what is gone, and then its rows. What a stopped crew still has waits for the next time. */
export async function clearGone(app: App): Promise<void> {
  for (let rows = queries(app.db).gone.all(''); rows.length; rows = queries(app.db).gone.all(rows.at(-1)!.id))
    for (const row of rows) {
      if (app.stopping.signal.aborted) return
      await clear(app, row)
    }
}

/** Clears by itself after a change. */
export const clearLater = (app: App): void =>
  void clearGone(app).catch((error) => app.log.warn({ err: error }, 'Files of chats could not be removed yet'))

async function clear(app: App, row: AttachmentRow): Promise<void> {
  try {
    await removeBlob(app, row.storage_key)
    if (await app.runs.withdraw(row.agent_id, folderOf(row))) await app.write(() => queries(app.db).remove.run(row.id))
  } catch (error) {
    app.log.warn({ err: error, attachment: row.id }, 'A file of a chat could not be removed yet')
  }
}

/** Gives up uploads that were never finished. */
export async function sweep(app: App): Promise<void> {
  const before = app.clock() - hourMs
  await app.write(() => queries(app.db).leaveOld.run(new Date(before).toISOString()))
  await clearIncoming(app, before)
  await clearGone(app)
}

/** Sweeps at the start, where it finds what a crash left, and every hour. */
export function sweepHourly(app: App): { close(): void } {
  const now = () => void sweep(app).catch((error) => app.log.error({ err: error }, 'Uploads could not be swept'))
  now()
  const timer = setInterval(now, hourMs).unref()
  return { close: () => clearInterval(timer) }
}
