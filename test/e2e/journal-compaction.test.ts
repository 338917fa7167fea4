import { expect, it, vi } from 'vitest'
import { createJournal } from '#kernel/journal/journal'
import { usedFolder } from '../support/data-folder.ts'
import { ending } from '../support/endings.ts'

const calls = 2_500
const day = 86_400_000

it('a daemon that is killed while it compacts loses nothing, and counts nothing twice', async () => {
  const folder = await usedFolder()
  ending(() => folder.remove())
  folder.edit((db) => {
    const workspace_id = db.prepare<[], string>('SELECT id FROM workspaces').pluck().get()!
    let now = Date.now() - 60 * day
    // All on one UTC day, whenever the test runs.
    now -= now % day
    const journal = createJournal(db, () => ++now)
    const usual = { workspace_id, type: 'llm.call', severity: 'info', actor_type: 'system' } as const
    db.transaction(() => {
      for (let n = 1; n <= calls; n++) journal.append({ ...usual, summary: `call ${n}`, payload: { n } })
    })()
  })

  let gone = 0
  for (let kill = 1; kill <= 2; kill++) {
    const { daemon, client } = await folder.start()
    await vi.waitFor(
      async () => {
        const { compacted } = await client.journal.compaction()
        expect(compacted).toBeGreaterThan(gone)
        gone = compacted
      },
      { timeout: 20_000, interval: 10 },
    )
    const ended = new Promise((resolve) => daemon.process.once('exit', resolve))
    daemon.process.kill('SIGKILL')
    await ended
  }

  const { client } = await folder.start()
  await vi.waitFor(async () => expect(await client.journal.compaction()).toMatchObject({ running: null, last: {} }), {
    timeout: 30_000,
    interval: 50,
  })
  const { entries } = await client.journal.list({ query: { entry_type: 'system.compaction' } })
  expect(entries.map(({ payload }) => payload!['count'] ?? payload!['entries_deleted'])).toEqual([calls, calls])
  expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true, compacted: calls })
  expect(await client.journal.count({ query: { entry_type: 'llm.call' } })).toEqual({ total: 0 })
})
