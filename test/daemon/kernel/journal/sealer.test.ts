import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createJournal } from '#kernel/journal/journal'
import { headsOf } from '#kernel/journal/seal'
import { loadSeals, openSealFile } from '#kernel/journal/seal-file'
import { createSealer } from '#kernel/journal/sealer'
import { closing, daemon, type TestDaemon } from '#test'
import { rawEntry } from '../../../support/raw-entry.ts'

const key = Buffer.alloc(32, 7)

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-seal-'))
  closing({ close: () => rmSync(dir, { recursive: true, force: true }) })
  return join(dir, 'journal.seal')
}

const open = (path: string) => openSealFile(path, 'i', key, loadSeals(path, key))
const note = ({ app, workspace }: TestDaemon, workspace_id = workspace) =>
  app.writeNow(() => rawEntry(app, { workspace_id, type: 'exec.command', actor_type: 'system', summary: 'ls' }))
const hashes = ({ app }: TestDaemon) =>
  app.db.prepare<[], string>('SELECT lower(hex(entry_hash)) FROM journal ORDER BY seq').pluck().all()
const lines = (path: string) => loadSeals(path, key).seals

afterEach(() => void vi.useRealTimers())

describe('the sealer', () => {
  it('writes the heads that have moved, for the owner alone', async () => {
    const path = place()
    const it = await daemon({ seals: open(path) })
    const other = it.stranger().workspace
    note(it)
    note(it, other)
    await it.app.seals.seal()
    note(it)
    await it.app.seals.seal()
    await it.app.seals.seal()
    const [a, b, c] = hashes(it)
    expect(lines(path).map(({ seq, at, heads }) => ({ seq, at, heads }))).toEqual([
      {
        seq: 2,
        at: '2026-01-01T00:00:00.000Z',
        heads: [
          [it.workspace, 1, 1, a],
          [other, 1, 2, b],
        ],
      },
      { seq: 3, at: '2026-01-01T00:00:00.000Z', heads: [[it.workspace, 2, 3, c]] },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('seals by itself a while after an entry, and at the end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const path = place()
    const it = await daemon({ seals: open(path) })
    note(it)
    note(it)
    await vi.advanceTimersByTimeAsync(1_900)
    expect(existsSync(path)).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    // Reading takes its turn after the seal that the timer began.
    const sealed = async () => (await it.app.seals.of(it.workspace))!.points.map(({ seq }) => seq)
    expect(await sealed()).toEqual([2])
    note(it)
    await vi.advanceTimersByTimeAsync(2_100)
    expect(await sealed()).toEqual([2, 3])
    note(it)
    await it.app.seals.close()
    expect(lines(path).map(({ seq }) => seq)).toEqual([2, 3, 4])
  })

  it('seals ten seconds later by itself what could not be written', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const path = place()
    const it = await daemon({ seals: open(path), quiet: true })
    mkdirSync(path)
    note(it)
    await vi.advanceTimersByTimeAsync(2_100)
    // Taking a turn waits for the seal that the timer began.
    await it.app.seals.of(it.workspace).catch(() => undefined)
    rmdirSync(path)
    await vi.advanceTimersByTimeAsync(9_800)
    await it.app.seals.of(it.workspace)
    expect(existsSync(path)).toBe(false)
    await vi.advanceTimersByTimeAsync(300)
    expect((await it.app.seals.of(it.workspace))!.points).toMatchObject([{ entries: 1, seq: 1 }])
  })

  it('leaves out what was undone', async () => {
    const path = place()
    const it = await daemon({ seals: open(path) })
    note(it)
    const fail = () => {
      rawEntry(it.app, { workspace_id: it.workspace, type: 'exec.command', actor_type: 'system', summary: 'undone' })
      throw new Error('undone')
    }
    expect(() => it.app.writeNow(fail)).toThrow('undone')
    await it.app.seals.seal()
    expect(lines(path).map(({ heads }) => heads)).toEqual([[[it.workspace, 1, 1, hashes(it)[0]]]])
  })

  it('tries again what could not be written, and holds no change up meanwhile', async () => {
    const path = place()
    const it = await daemon({ seals: open(path), quiet: true })
    mkdirSync(path)
    note(it)
    await expect(it.app.seals.seal()).rejects.toThrow()
    note(it)
    rmdirSync(path)
    await it.app.seals.seal()
    expect(lines(path).map(({ heads }) => heads)).toEqual([[[it.workspace, 2, 2, hashes(it)[1]]]])
  })

  it('goes on after a restart, over half a line that a crash has left', async () => {
    const path = place()
    const it = await daemon({ seals: open(path) })
    note(it)
    await it.app.seals.seal()
    appendFileSync(path, '{"v":1,"installa')
    const file = open(path)
    await file.append({ at: '2026-01-01T00:00:01Z', seq: 2, heads: [] })
    expect(lines(path).map(({ seq }) => seq)).toEqual([1, 2])
    expect((await file.read()).fault).toBeNull()
  })

  it('seals after a restart what was not sealed before, and nothing twice', async () => {
    const path = place()
    const it = await daemon({ seals: open(path) })
    const other = it.stranger().workspace
    note(it)
    note(it, other)
    await it.app.seals.seal()
    note(it, other)
    const restarted = () => {
      const { db, log } = it.app
      return createSealer({ db, journal: createJournal(db, it.clock), file: open(path), clock: it.clock, log })
    }
    for (let start = 0; start < 2; start++) await restarted().seal()
    expect(lines(path)).toHaveLength(2)
    expect(lines(path)[1]).toMatchObject({ seq: 3, heads: [[other, 2, 3, hashes(it)[2]]] })
  })

  it('knows when the file is not the one that it wrote', async () => {
    const path = place()
    const file = open(path)
    await file.append({ at: '2026-01-01T00:00:01Z', seq: 1, heads: [] })
    const before = readFileSync(path)
    await file.append({ at: '2026-01-01T00:00:02Z', seq: 2, heads: [] })
    writeFileSync(path, before)
    expect((await file.read()).fault).toMatchObject({
      kind: 'forged',
      reason: expect.stringContaining('not the one that this daemon wrote'),
    })
    rmSync(path)
    expect((await file.read()).fault).toMatchObject({ kind: 'seal_missing' })
  })

  it('stays small: older seals become one for each block', async () => {
    const path = place()
    const file = open(path)
    for (let seq = 1; seq <= 1030; seq++)
      await file.append({ at: '2026-01-01T00:00:00Z', seq, heads: [['w', seq, seq, 'ab']] })
    const { seals, fault } = await file.read()
    expect(fault).toBeNull()
    // One for the first 960 seals, the newest 64 of 1024, and six more.
    expect(seals.map(({ seq }) => seq)).toEqual([960, ...Array.from({ length: 70 }, (_, n) => 961 + n)])
    expect(open(path).newest.seq).toBe(1030)
    expect(headsOf(seals)).toEqual(new Map([['w', ['w', 1030, 1030, 'ab']]]))
  })
})
