import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { headsOf } from '#kernel/journal/seal'
import { loadSeals, openSealFile } from '#kernel/journal/seal-file'
import { closing } from '#test'

const key = Buffer.alloc(32, 7)
const hash = 'ab'.repeat(32)

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-seal-'))
  closing({ close: () => rmSync(dir, { recursive: true, force: true }) })
  return join(dir, 'journal.seal')
}

const open = (path: string) => openSealFile(path, 'i', key, loadSeals(path, key))
const sealOf = (seq: number, workspace = 'w') => ({
  at: `2026-01-01T00:00:0${seq % 10}Z`,
  seq,
  heads: [[workspace, seq, seq, hash] as [string, number, number, string]],
})
const seqs = async (file: ReturnType<typeof open>) => (await file.read()).seals.map(({ seq }) => seq)

/** How many of this process's open files are this one. */
const opened = (path: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path)
    } catch {
      return false
    }
  }).length

describe('loading seals', () => {
  it('says that there are none, or that nobody can tell', () => {
    const path = place()
    expect(loadSeals(path, key)).toEqual({
      seals: [],
      size: 0,
      fault: { kind: 'seal_missing', reason: expect.any(String) },
    })
    mkdirSync(path)
    expect(loadSeals(path, key)).toEqual({
      seals: [],
      size: 0,
      fault: { kind: 'forged', reason: 'it is no regular file' },
    })
    expect(loadSeals('/proc/self/mem', key)).toEqual({
      seals: [],
      size: 0,
      fault: { kind: 'forged', reason: expect.stringMatching(/^it cannot be read: EIO/) },
    })
  })

  it('gives those that were written, whoever has no key too', async () => {
    const path = place()
    await open(path).append(sealOf(1))
    const loaded = loadSeals(path, key)
    expect(loaded).toMatchObject({ seals: [{ seq: 1, installation: 'i' }], fault: null })
    expect(loaded.size).toBe(readFileSync(path).length)
    expect(loadSeals(path, null)).toEqual(loaded)
  })
})

describe('a seal file', () => {
  it('tells its newest seal', async () => {
    const path = place()
    const file = open(path)
    expect(file.newest).toEqual({ seq: 0, at: null })
    await file.append(sealOf(1))
    await file.append(sealOf(2))
    for (const it of [file, open(path)]) expect(it.newest).toEqual({ seq: 2, at: '2026-01-01T00:00:02Z' })
  })

  it('takes the place of whatever is no seal file', async () => {
    const path = place()
    writeFileSync(path, 'something else')
    const file = open(path)
    await file.append(sealOf(1))
    expect(await seqs(file)).toEqual([1])
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"v":1,.*\}\n$/)
  })

  it('cuts off what a failed write has left, and passes over it before', async () => {
    const path = place()
    const file = open(path)
    await file.append(sealOf(1, 'wörk'))
    appendFileSync(path, '{"v":1,"insta')
    expect(await file.read()).toMatchObject({ fault: null, seals: [{ seq: 1 }] })
    await file.append(sealOf(2, 'wörk'))
    appendFileSync(path, '\n{"v":1}\n')
    await file.append(sealOf(3))
    expect(await file.read()).toMatchObject({ fault: null, seals: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] })
    expect(loadSeals(path, key)).toMatchObject({ fault: null, seals: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] })
  })

  it('goes on after a restart, over half a line that a crash has left', async () => {
    const path = place()
    await open(path).append(sealOf(1, 'wörk'))
    appendFileSync(path, '{"v":1,"insta')
    const file = open(path)
    expect(await seqs(file)).toEqual([1])
    await file.append(sealOf(2))
    expect(await seqs(file)).toEqual([1, 2])
  })

  it('is for its owner alone, also when it was removed', async () => {
    const path = place()
    const file = open(path)
    for (const seq of [1, 2]) {
      rmSync(path, { force: true })
      await file.append(sealOf(seq))
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }
  })

  it('stays closed between two seals', async () => {
    const path = place()
    const file = open(path)
    for (const seq of [1, 2, 3]) await file.append(sealOf(seq))
    expect(opened(path)).toBe(0)
  })

  it('knows when it was removed, or put back as it was before', async () => {
    const path = place()
    const file = open(path)
    await file.append(sealOf(1))
    const before = readFileSync(path)
    await file.append(sealOf(2))
    writeFileSync(path, before)
    expect(await file.read()).toMatchObject({
      seals: [{ seq: 1 }],
      fault: { kind: 'forged', reason: 'the seal file is not the one that this daemon wrote last' },
    })
    rmSync(path)
    expect((await file.read()).fault).toMatchObject({ kind: 'seal_missing' })
  })
})

describe('a seal file of many lines', () => {
  it('folds the older ones at 1024 more than it began with, with every head', async () => {
    const path = place()
    const first = open(path)
    for (const seq of [1, 2]) await first.append(sealOf(seq, `w${seq}`))
    const file = open(path)
    for (let seq = 3; seq <= 1_025; seq++) await file.append(sealOf(seq))
    expect(await seqs(file)).toHaveLength(1_025)
    await file.append(sealOf(1_026))
    await file.append(sealOf(1_027))
    const { seals, fault } = await file.read()
    expect(fault).toBeNull()
    expect(seals.map(({ seq }) => seq)).toEqual(Array.from({ length: 66 }, (_, at) => 962 + at))
    expect([...headsOf(seals).keys()]).toEqual(['w1', 'w2', 'w'])
    expect(loadSeals(path, key)).toMatchObject({ fault: null, size: readFileSync(path).length })
    expect(open(path).newest.seq).toBe(1_027)
  })

  it('stays as it is where a line was forged', async () => {
    const path = place()
    const file = open(path)
    for (let seq = 1; seq <= 1_023; seq++) await file.append(sealOf(seq))
    const forged = readFileSync(path, 'utf8').replace('["w",1,', '["w",9,')
    writeFileSync(path, forged)
    await file.append(sealOf(1_024))
    await file.append(sealOf(1_025))
    expect(readFileSync(path, 'utf8').startsWith(forged)).toBe(true)
    expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(1_025)
    expect((await file.read()).fault).toMatchObject({ kind: 'forged' })
  })
})
