import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { problem } from '#kernel/problem'
import { storageFault, storageProblem } from '#kernel/store/storage-fault'
import { recordSoon, untilWritten } from '#kernel/store/until-written'
import { daemon } from '#test'
import { rawEntry } from '../../../support/raw-entry.ts'
import { refuseWrites } from '../../../support/refusing.ts'

const coded = (code: string) => Object.assign(new Error('refused'), { code })
const quiet = () => daemon({ quiet: true })
const crew = (slug: string) => ({ name: slug, slug })

describe('an error', () => {
  it.each([
    ['SQLITE_FULL', 'full'],
    ['ENOSPC', 'full'],
    ['EDQUOT', 'full'],
    ['SQLITE_IOERR_WRITE', 'unavailable'],
    ['SQLITE_IOERR_FSYNC', 'unavailable'],
    ['SQLITE_READONLY', 'unavailable'],
    ['SQLITE_READONLY_DBMOVED', 'unavailable'],
    ['SQLITE_CANTOPEN', 'unavailable'],
    ['SQLITE_BUSY', 'unavailable'],
    ['EROFS', 'unavailable'],
    ['SQLITE_CONSTRAINT_UNIQUE', null],
    ['SQLITE_CORRUPT', null],
    ['ENOENT', null],
    ['not_found', null],
  ])('%s says of the disk: %s', (code, fault) => expect(storageFault(coded(code))).toBe(fault))

  it('is told with the next step', () => {
    expect(storageProblem(coded('SQLITE_FULL'))!.toBody('/x')).toMatchObject({
      status: 507,
      code: 'storage_full',
      detail: expect.stringContaining('Free space'),
    })
    expect(storageProblem(coded('EROFS'))!.toBody('/x')).toMatchObject({
      status: 503,
      code: 'storage_unavailable',
      detail: expect.stringContaining('log'),
    })
    expect(storageProblem(problem('not_found'))).toBeNull()
    expect(storageProblem(null)).toBeNull()
  })
})

describe('while the disk refuses', () => {
  it('writes are refused with a code, reads answered, and the disk is named until it works again', async () => {
    const { app, call } = await quiet()
    expect((await call('OWNER', 'POST', '/crews', crew('before'))).status).toBe(201)
    const { mend } = refuseWrites(app)
    const refused = await call('OWNER', 'POST', '/crews', crew('docks'))
    expect(refused).toMatchObject({
      status: 503,
      body: {
        code: 'storage_unavailable',
        instance: '/api/v1/crews',
        error: expect.stringContaining('cannot be written'),
      },
    })
    expect(refused.headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '5' })
    const reason = 'The disk that holds the data cannot be written'
    expect((await call(null, 'GET', '/api/health')).body).toEqual({
      status: 'degraded',
      degraded: [{ name: 'disk', reason }],
    })
    expect(await call(null, 'GET', '/readyz')).toMatchObject({
      status: 503,
      body: { status: false, checks: { db: true, state: true, disk: false }, reason },
    })
    const checks = (await call('OWNER', 'GET', '/system/doctor')).body as {
      name: string
      status: string
      detail: string
    }[]
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'disk', status: 'fail', detail: `${reason} (SQLITE_READONLY)` }),
    )
    expect((await call('OWNER', 'GET', '/crews')).body).toHaveLength(1)

    await mend()
    expect((await call(null, 'GET', '/api/health')).body).toEqual({ status: 'ok' })
    expect(await call(null, 'GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: true, checks: { db: true, state: true, disk: true } },
    })
    expect((await call('OWNER', 'POST', '/crews', crew('docks'))).status).toBe(201)
  })

  it('what must be written waits, and is written once', async () => {
    const { app, workspace, entries } = await quiet()
    const note = (summary: string) => () =>
      rawEntry(app, { workspace_id: workspace, type: 'exec.command', actor_type: 'system', summary })
    const { mend } = refuseWrites(app)
    const written = untilWritten(app, note('one'))
    recordSoon(app, 'a test', note('two'))
    await expect(app.write(note('three'))).rejects.toMatchObject({ code: 'SQLITE_READONLY' })
    expect(entries()).toEqual([])
    await mend()
    await written
    await app.idle()
    expect(entries().map(({ summary }) => summary)).toEqual(['one', 'two'])
  })

  it('who stops waiting is told what the disk said', async () => {
    const { app } = await quiet()
    const { mend } = refuseWrites(app)
    const stop = new AbortController()
    const waiting = untilWritten(app, () => app.db.exec('DELETE FROM crews'), stop.signal)
    await expect(app.write(() => app.db.exec('DELETE FROM crews'))).rejects.toThrow()
    stop.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'SQLITE_READONLY' })
    expect(app.storage.waiting).toBe(0)
    await mend()
  })

  it('refusals and faults are nobody’s to wait for', async () => {
    const { app } = await quiet()
    const fail = (error: Error) => () => {
      throw error
    }
    await expect(untilWritten(app, fail(problem('not_found')))).rejects.toMatchObject({ code: 'not_found' })
    await expect(untilWritten(app, fail(new TypeError('a bug')))).rejects.toThrow('a bug')
    expect(app.storage.failure).toBeNull()
  })
})

describe('a database file', () => {
  it('is trusted again after a trial that leaves nothing behind', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-storage-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { app } = await daemon({ file: join(folder, 'muster.db'), quiet: true })
    app.db.pragma('user_version = 7')
    app.storage.failed(coded('ENOSPC'))
    expect(await app.storage.condition()).toMatchObject({ fault: 'full', code: 'ENOSPC' })
    await app.storage.working(new AbortController().signal)
    expect(await app.storage.condition()).toBeNull()
    expect(app.db.pragma('user_version', { simple: true })).toBe(7)
    expect(readdirSync(folder).filter((name) => !name.startsWith('muster.db'))).toEqual([])
  })
})
