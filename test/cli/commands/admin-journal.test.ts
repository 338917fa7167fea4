import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { closing } from '#test'
import { cli } from '../../support/cli.ts'
import { type DataFolder, usedFolder } from '../../support/data-folder.ts'
import { relink } from '../../support/forger.ts'

// Each starts several processes.
vi.setConfig({ testTimeout: 120_000 })

let original: DataFolder
beforeAll(async () => {
  original = await usedFolder()
})
afterAll(() => original?.remove())

/** The command line on a machine where no daemon runs. */
function machine() {
  const folder = original.copy()
  closing({ close: () => folder.remove() })
  return { folder, ...cli({ SVC_DATA_DIR: folder.dir }) }
}

const heads = ({ path }: DataFolder) =>
  JSON.parse(readFileSync(path('journal.seal'), 'utf8').trimEnd().split('\n').at(-1)!)

describe('muster admin verify-journal', () => {
  it('checks the journals of all workspaces, with the seals', async () => {
    const { folder, run } = machine()
    const { seq } = heads(folder)
    const sound = await run('admin', 'verify-journal', '--json')
    expect(sound.code).toBe(0)
    expect(JSON.parse(sound.stdout)).toMatchObject({
      valid: true,
      stray: 0,
      journals: [{ valid: true, entries: seq, sealed: { entries: seq }, unsealed: 0 }],
    })
    folder.edit('UPDATE journal SET severity = 3 WHERE seq = 4')
    expect(await run('admin', 'verify-journal')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\tbroken\t3\t0\tcolumns\n$/),
    })
  })

  it('finds places that belong to nobody', async () => {
    const { folder, run } = machine()
    folder.edit(`
      INSERT INTO journal_combos SELECT 999, 99, crew, agent, type, severity, actor_type, 0, 0
      FROM journal_combos LIMIT 1;
      INSERT INTO journal SELECT seq + 5, id || 1, ts, 99, 999, crew, agent, type, severity, mission, trace, actor,
      run, priority, doc,
        payload_hash, prev_hash, entry_hash, scheme, summary_hash FROM journal ORDER BY seq DESC LIMIT 1`)
    expect(JSON.parse((await run('admin', 'verify-journal', '--json')).stdout)).toMatchObject({
      valid: false,
      stray: 5,
      journals: [{ valid: true }],
    })
  })

  it('goes without the seals where the key is not at hand, and says so', async () => {
    const { folder, run } = machine()
    rmSync(folder.path('encryption.key'))
    const { journals } = JSON.parse((await run('admin', 'verify-journal', '--json')).stdout)
    expect(journals).toMatchObject([{ valid: true, sealed: null, not_proven: ['unsealed', 'rollback'] }])
    folder.edit((db) => relink(db, 2))
    folder.edit('DELETE FROM journal WHERE seq > 5')
    expect(await run('admin', 'verify-journal', '--json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"code":"database_older"'),
    })
  })
})

describe('work on the host', () => {
  it('is sealed too', async () => {
    const { folder, run } = machine()
    const { seq } = heads(folder)
    expect((await run('admin', 'invalidate-sessions', '--email', 'ada@example.com', '--tokens')).code).toBe(0)
    expect(heads(folder).seq).toBeGreaterThan(seq)
    folder.edit(`DELETE FROM journal WHERE seq > ${seq}`)
    expect(await folder.refusal()).toMatchObject({ code: 3, said: expect.stringContaining('are missing') })
  })

  it('is refused on data that a daemon would refuse', async () => {
    const { folder, run } = machine()
    folder.edit('DELETE FROM journal WHERE seq > 5')
    const refused = await run('admin', 'list-users', '--json')
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stderr)).toMatchObject({
      code: 'database_older',
      error: expect.stringMatching(/are missing.*--accept-data-loss/),
    })
  })
})
