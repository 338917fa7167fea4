import { expect, it } from 'vitest'
import { locate } from '#client'
import type { VerificationLine } from '#contract/journal'
import { createJournal } from '#kernel/journal/journal'
import { lines } from '../../src/client/lines.ts'
import { type DataFolder, usedFolder } from '../support/data-folder.ts'
import { ending } from '../support/endings.ts'

const calls = 150_000

/** The lines of a verification by a daemon; `after` is called with each. */
async function verification(
  { connection }: Awaited<ReturnType<DataFolder['start']>>,
  resume: boolean,
  after: (line: VerificationLine) => void = () => {},
): Promise<VerificationLine[]> {
  const told: VerificationLine[] = []
  const query = resume ? { resume } : {}
  for await (const line of lines<VerificationLine>(connection, locate('journal.verification', { query }))) {
    told.push(line)
    after(line)
  }
  return told
}

it('a daemon that is told to end amid a verification ends at once, and the next goes on with it', async () => {
  const folder = await usedFolder()
  ending(() => folder.remove())
  folder.edit((db) => {
    const workspace_id = db.prepare<[], string>('SELECT id FROM workspaces').pluck().get()!
    const journal = createJournal(db, Date.now)
    const usual = { workspace_id, type: 'exec.command', severity: 'info', actor_type: 'system' } as const
    db.transaction(() => {
      for (let n = 1; n <= calls; n++) journal.append({ ...usual, summary: `call ${n}`, payload: { n } })
    })()
  })

  const first = await folder.start()
  let stopped: Promise<number | null> | undefined
  const told = await verification(first, false, (line) => {
    if (line.type === 'progress' && line.entries > 0) stopped ??= first.daemon.stop()
  })
  expect(await stopped).toBe(0)
  const [last] = told.slice(-1)
  expect(last).toMatchObject({ type: 'interrupted' })
  const passed = last!.type === 'interrupted' ? last!.entries : 0
  expect(passed).toBeGreaterThan(0)
  expect(passed).toBeLessThan(calls)

  const again = await verification(await folder.start(), true)
  const verdict = again.at(-1)!
  expect(verdict).toMatchObject({ type: 'verdict', verdict: { valid: true, resumed: { entries: passed } } })
  expect(verdict.type === 'verdict' && verdict.verdict.entries).toBeGreaterThan(calls)
})
