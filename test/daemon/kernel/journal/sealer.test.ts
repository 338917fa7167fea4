import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createJournal } from '#kernel/journal/journal'
import { loadSeals, openSealFile } from '#kernel/journal/seal-file'
import { createSealer } from '#kernel/journal/sealer'
import type { Log } from '#kernel/log'
import { closing, daemon, type TestDaemon } from '#test'
import { openMigrated } from '../../../support/migrated.ts'
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
})

describe('the clock of the sealer', () => {
  /** A sealer of an empty journal, over a file that can be broken. */
  function place() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const db = openMigrated()
    const journal = createJournal(db, () => 0)
    const newest = { seq: 0, at: null as string | null }
    const state = { broken: false, attempts: 0, during: () => {} }
    const log = { error: vi.fn(), info: vi.fn() }
    const file = {
      newest,
      append: async ({ seq, at }: { seq: number; at: string }) => {
        state.attempts++
        state.during()
        if (state.broken) throw new Error('broken')
        Object.assign(newest, { seq, at })
      },
      read: async () => ({ seals: [], fault: null }),
    }
    const sealer = createSealer({ db, journal, file, clock: () => 0, log: log as unknown as Log })
    const draft = {
      workspace_id: 'w',
      type: 'exec.command',
      actor_type: 'system',
      severity: 'info',
      summary: 'ls',
    } as const
    const grow = () => {
      db.transaction(() => journal.append(draft))()
      sealer.grown()
    }
    const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
    return { sealer, state, log, newest, grow, pass }
  }

  it('runs for two seconds from the first entry that is not sealed, however many follow', async () => {
    const { grow, pass, newest, state } = place()
    grow()
    await pass(1_500)
    grow()
    await pass(499)
    expect(state.attempts).toBe(0)
    await pass(1)
    expect([newest.seq, state.attempts]).toEqual([2, 1])
    await pass(60_000)
    expect(state.attempts).toBe(1)
  })

  it('does not run where there is nothing to seal', async () => {
    const { sealer, grow, pass, state } = place()
    sealer.grown()
    await pass(60_000)
    expect(state.attempts).toBe(0)
    grow()
    await sealer.seal()
    sealer.grown()
    await pass(60_000)
    expect(state.attempts).toBe(1)
  })

  it('runs for ten seconds after a failure, whatever is stored, and tells of the first and the last', async () => {
    const { grow, pass, state, log, newest } = place()
    state.broken = true
    state.during = grow
    grow()
    await pass(2_000)
    expect(state.attempts).toBe(1)
    expect(log.error).toHaveBeenCalledOnce()
    await pass(9_999)
    expect(state.attempts).toBe(1)
    await pass(1)
    expect(state.attempts).toBe(2)
    expect(log.error).toHaveBeenCalledOnce()
    Object.assign(state, { broken: false, during: () => {} })
    await pass(10_000)
    expect([newest.seq, state.attempts]).toEqual([3, 3])
    expect(log.info).toHaveBeenCalledOnce()
    grow()
    await pass(2_000)
    expect([newest.seq, state.attempts]).toEqual([4, 4])
    expect([log.error.mock.calls.length, log.info.mock.calls.length]).toEqual([1, 1])
  })

  it('stands still once the sealer is closed, after one more attempt', async () => {
    for (const broken of [false, true]) {
      const { sealer, grow, pass, state } = place()
      grow()
      state.broken = broken
      await sealer.close()
      expect(state.attempts).toBe(1)
      grow()
      await pass(60_000)
      expect(state.attempts).toBe(1)
      vi.useRealTimers()
    }
  })
})
