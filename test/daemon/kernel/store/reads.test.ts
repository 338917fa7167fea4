import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { createLog } from '#kernel/log'
import { type Db, openDatabase } from '#kernel/store/db'
import { createThreadReads, type Reads } from '#kernel/store/reads'
import { closing } from '#test'

/** A thread that does as it is told, in the words of kernel/store/reads-thread.ts. */
const program = `
import { parentPort, workerData } from 'node:worker_threads'
const held = []
parentPort.on('message', (request) => {
  if ('close' in request) return parentPort.close()
  if ('head' in request) return
  const { id, job, args } = request
  if (job === 'hold') return held.push(id)
  if (job === 'free') for (const other of held.splice(0)) parentPort.postMessage({ id: other, text: 'freed' })
  if (job === 'die') process.exit(3)
  if (job === 'rest') return parentPort.postMessage({ idle: true })
  if (job === 'done') {
    parentPort.postMessage({ id, text: 'done' })
    return parentPort.postMessage({ idle: true })
  }
  if (job === 'fail') return parentPort.postMessage({ id, fault: 'Error: no' })
  globalThis.count = (globalThis.count ?? 0) + 1
  parentPort.postMessage({ id, text: workerData.lane + ' ' + JSON.stringify(args) + ' ' + globalThis.count })
})
`

function threads(): { reads: Reads; errors: unknown[]; db: Db } {
  const dir = mkdtempSync(join(tmpdir(), 'muster-reads-'))
  closing({ close: () => rmSync(dir, { recursive: true }) })
  const file = join(dir, 'thread.mjs')
  writeFileSync(file, program)
  const db = closing(openDatabase(join(dir, 'muster.db')))
  const log = createLog({ level: 'silent', format: 'json' })
  const errors: unknown[] = []
  vi.spyOn(log, 'error').mockImplementation((...told: unknown[]) => void errors.push(told))
  return { db, reads: closing(createThreadReads(db, log, pathToFileURL(file))), errors }
}

describe('reading threads', () => {
  it('work in lanes of their own and answer text', async () => {
    const { reads } = threads()
    expect(await reads.run('search', 'say', { a: 1 })).toBe('search {"a":1} 1')
    expect(await reads.run('scan', 'say', [2])).toBe('scan [2] 1')
    expect(await reads.run('search', 'say', 3)).toBe('search 3 2')
    await expect(reads.run('search', 'fail', 4)).rejects.toThrow('no')
  })

  it('refuse what would wait behind too much', async () => {
    const { reads } = threads()
    const held = Promise.allSettled(Array.from({ length: 64 }, () => reads.run('search', 'hold', null)))
    await expect(reads.run('search', 'free', null)).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': '1' },
    })
    expect(await reads.run('scan', 'say', null)).toBe('scan null 1')
    await reads.close()
    for (const one of await held) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
  })

  it('are replaced when one fails; only what it held is lost', async () => {
    const { reads, errors } = threads()
    expect(await reads.run('search', 'say', 1)).toBe('search 1 1')
    await expect(reads.run('search', 'die', null)).rejects.toThrow('exit code 3')
    expect(await reads.run('search', 'say', 2)).toBe('search 2 1')
    expect(errors).toHaveLength(1)
  })

  it('stay while something waits, whatever they say', async () => {
    const { reads } = threads()
    const held = reads.run('scan', 'hold', null)
    const unanswered = expect(reads.run('scan', 'rest', null)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await reads.run('scan', 'say', 1)).toBe('scan 1 1')
    await reads.run('scan', 'free', null)
    expect(await held).toBe('freed')
    expect(await reads.run('scan', 'say', 2)).toBe('scan 2 3')
    await reads.close()
    await unanswered
  })

  it('give way to a new one once they ended', async () => {
    const { reads, errors, db } = threads()
    expect(await reads.run('scan', 'say', 1)).toBe('scan 1 1')
    expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(20_000)
    expect(await reads.run('scan', 'done', null)).toBe('done')
    // Commits empty the log themselves again once the thread that did so is given up.
    await vi.waitFor(() => expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(1000))
    expect(await reads.run('scan', 'say', 2)).toBe('scan 2 1')
    expect(errors).toEqual([])
  })

  it('take nothing more once they are closed', async () => {
    const { reads } = threads()
    await reads.close()
    await expect(reads.run('search', 'say', 1)).rejects.toMatchObject({ code: 'unavailable' })
    reads.grown(100)
    reads.grown(1000)
  })
})
