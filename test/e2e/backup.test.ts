import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient } from '#client'
import { scratchFolder } from '../support/bundles.ts'
import { cli } from '../support/cli.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { startMusterd } from '../support/musterd.ts'
import { mountMissing, smallDisk } from '../support/small-disk.ts'

leaveOut(mountMissing)

const passphrase = 'twelve chars and more'
const settings = { SVC_CONTAINER_PROVIDER: 'process', SVC_BACKUP_DIR: '' }

let server: Installation
let secrets: string
let crew: string
const shared = () => join(server.dataDir, 'crews', crew, 'shared')
const backups = () => join(server.dataDir, 'backups')

beforeAll(async () => {
  server = await install(settings)
  secrets = join(server.dataDir, '..')
  writeFileSync(join(secrets, 'pass'), `${passphrase}\n`)
  crew = (await server.client.crews.create({ body: { name: 'Web', slug: 'web' } })).id
  mkdirSync(shared(), { recursive: true })
  writeFileSync(join(shared(), 'notes.md'), 'what the crew works on')
  symlinkSync('/etc/passwd', join(shared(), 'link'))
})
afterAll(() => server?.remove())

/** The command line on the machine of the server. */
const here = (more: Record<string, string> = {}) => {
  const { SVC_BACKUP_DIR: _, ...env } = settings
  return cli({ ...env, SVC_DATA_DIR: server.dataDir, ...more })
}
const withPass = () => ['--passphrase-file', join(secrets, 'pass')]
const create = (body: object = {}) =>
  server.client.backup.create({ body: { scope: 'instance', passphrase, ...body } }, { timeout: 120_000 })
const key = () => ['--key-file', join(server.dataDir, 'encryption.key')]
/** Large enough to be met half-way. */
const slow = () => {
  const path = join(shared(), 'large')
  if (!existsSync(path)) writeFileSync(path, randomBytes(48 * 1024 * 1024))
  return () => rmSync(path, { force: true })
}
/** What is in a folder that ought to hold nothing new. */
const names = (folder: string) => readdirSync(folder).sort()

describe('a backup of the whole server', () => {
  it('has everything that was acknowledged before it, while writes go on, and is a server again', async () => {
    const before: string[] = []
    const during: string[] = []
    let writing = true
    const name = (n: number) => `label ${n}`
    const write = async (n: number) =>
      (await server.client.labels.create({ body: { name: name(n), color: '#aabbcc' } })).name
    for (let n = 0; n < 20; n++) before.push(await write(n))
    const writer = (async () => {
      for (let n = 20; writing; n++) during.push(await write(n))
    })()
    const made = await create({ scope_level: 'full' })
    writing = false
    await writer
    expect(during.length).toBeGreaterThan(0)
    expect(made).toMatchObject({ encrypted: true, key_included: false, scope_level: 'full' })
    expect(statSync(made.path).mode & 0o777).toBe(0o600)
    expect(statSync(backups()).mode & 0o777).toBe(0o700)
    expect(existsSync(join(server.dataDir, 'backup.scratch'))).toBe(false)

    const to = join(scratchFolder(), 'new')
    const restored = await here().run('backup', 'restore', made.path, '--to', to, ...withPass(), ...key())
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('Restored the server') })
    expect(readFileSync(join(to, 'crews', crew, 'shared/notes.md'), 'utf8')).toBe('what the crew works on')
    expect(existsSync(`${to}.restoring`)).toBe(false)
    const daemon = await startMusterd({ HOME: to, SVC_DATA_DIR: to, SVC_PORT: '0', SVC_CONTAINER_PROVIDER: 'process' })
    try {
      const { token, workspace } = credentials()
      const client = createClient({ server: daemon.url, token, workspace })
      const found = (await client.labels.list({ query: {} })).map((label) => label.name)
      expect(found).toEqual(expect.arrayContaining(before))
      expect(await client.journal.verify({ query: {} })).toMatchObject({ valid: true })
      const { entries } = await client.journal.list({ query: { entry_type: 'audit.entity_restored' } })
      expect(entries).toMatchObject([{ payload: { entity_type: 'backup', name: made.file_name } }])
    } finally {
      await daemon.stop()
    }
  })

  it('is listed, inspected and verified, and what it leaves out is said loudly', async () => {
    const muster = cliOfOwner()
    const run = await muster.run('backup', 'create', ...withPass(), '--level', 'quick')
    expect(run).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/ENCRYPTION KEY is NOT in the bundle[\s\S]*disk of the data/),
    })
    const [newest] = JSON.parse((await muster.run('backup', 'list', '--json')).stdout)
    expect(newest).toMatchObject({ scope_level: 'quick', encrypted: true, format_version: 1 })
    expect(JSON.parse((await muster.run('backup', 'inspect', newest.file_name, '--json')).stdout)).toMatchObject({
      scope: 'instance',
      key_included: false,
      encryption: { enabled: true, algorithm: 'age', key_derivation: 'scrypt' },
      contents: { crews: [{ slug: 'web', agent_count: 0 }] },
    })
    expect((await muster.run('backup', 'verify', newest.file_name)).code).toBe(0)
    expect(await here().run('backup', 'verify', newest.path, ...withPass())).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('files inside fit their sums'),
    })
    const { entries } = await server.client.journal.list({ query: { entry_type: 'audit.entity_created', limit: 5 } })
    expect(entries[0]!.summary).toBe(`ada@example.com backed the server up as ${newest.file_name}`)
  })

  it('with the key says so as loudly, and opens without another copy', async () => {
    const run = await cliOfOwner().run('backup', 'create', ...withPass(), '--with-key', '--level', 'quick')
    expect(run.stderr).toContain('The bundle holds the ENCRYPTION KEY')
    const to = join(scratchFolder(), 'new')
    const [{ path }] = JSON.parse((await cliOfOwner().run('backup', 'list', '--json')).stdout)
    expect((await here().run('backup', 'restore', path, '--to', to, ...withPass())).code).toBe(0)
    expect(readFileSync(join(to, 'encryption.key'), 'utf8').trim()).toBe(
      readFileSync(join(server.dataDir, 'encryption.key'), 'utf8').trim(),
    )
  })

  it('is made one at a time', async () => {
    const both = await Promise.allSettled([create(), create()])
    expect(both.map((it) => (it.status === 'rejected' ? it.reason.problem.code : 'made')).sort()).toEqual([
      'backup_running',
      'made',
    ])
  })

  it('is deleted when it is old, but for the newest', async () => {
    const muster = cliOfOwner()
    const all = (await server.client.backup.list()).data.map(({ path }) => path)
    expect(all.length).toBeGreaterThan(2)
    const preview = JSON.parse((await muster.run('backup', 'rotate', '--keep-last', '2', '--preview', '--json')).stdout)
    expect(preview).toEqual({ deleted: all.slice(2), dry_run: true })
    expect(names(backups()).length).toBe(all.length)
    expect((await muster.run('backup', 'rotate', '--keep-last', '2', '--yes')).code).toBe(0)
    expect((await server.client.backup.list()).data.map(({ path }) => path)).toEqual(all.slice(0, 2))
  })
})

describe('the drill', () => {
  it('restores the newest bundle, starts a daemon on it, and says what would be lost', async () => {
    await create({ scope_level: 'quick' })
    const first = JSON.parse((await here().run('backup', 'drill', ...withPass(), '--json')).stdout)
    expect(first).toMatchObject({ passed: true, lost: { entries: 1, counts: { journal_entries: 1 } } })
    expect(first.checks.map(({ name, ok }: { name: string; ok: boolean }) => [name, ok])).toEqual(
      ['bundle', 'start', 'counts', 'head', 'journal', 'server'].map((name) => [name, true]),
    )
    await server.client.crews.create({ body: { name: 'Late', slug: 'late' } })
    const run = await here().run('backup', 'drill', ...withPass())
    expect(run).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/would be lost: \d+ entries of the journal, 1 crews/),
    })
    expect(run.stderr).toContain('both are lost together')
  })

  it('fails without the encryption key, and with another', async () => {
    const folder = scratchFolder()
    const other = join(folder, 'key')
    writeFileSync(other, randomBytes(32).toString('hex'))
    const run = await here().run('backup', 'drill', ...withPass(), '--key-file', other, '--scratch', folder)
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('is not the key') })
    expect(names(folder)).toEqual(['key'])
  })
})

describe('a restore changes nothing when', () => {
  let path: string
  let folder: string
  const restore = (...words: string[]) => here().run('backup', 'restore', path, '--to', join(folder, 'new'), ...words)
  beforeAll(async () => {
    path = (await create()).path
  })

  it.each([
    ['the passphrase is wrong', () => ['--passphrase-file', join(folder, 'wrong')], 'does not open this bundle'],
    ['there is none', () => [], 'give its passphrase'],
    ['the key is another', () => [...withPass(), '--key-file', join(folder, 'key')], 'is not the key'],
  ])('%s', async (_, words, said) => {
    folder = scratchFolder()
    writeFileSync(join(folder, 'wrong'), 'not the passphrase')
    writeFileSync(join(folder, 'key'), randomBytes(32).toString('hex'))
    expect(await restore(...words())).toMatchObject({ code: 1, stderr: expect.stringContaining(said) })
    expect(names(folder)).toEqual(['key', 'wrong'])
  })

  it('a bit of the bundle was altered', async () => {
    folder = scratchFolder()
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 4
    const copy = join(folder, 'copy')
    writeFileSync(copy, bytes)
    const run = await here().run('backup', 'restore', copy, '--to', join(folder, 'new'), ...withPass(), ...key())
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('altered or damaged') })
    expect(names(folder)).toEqual(['copy'])
  })

  it('the folder is that of a live server, or holds anything', async () => {
    expect(await here().run('backup', 'restore', path, ...withPass(), ...key())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A daemon works on'),
    })
    folder = scratchFolder()
    mkdirSync(join(folder, 'new'))
    writeFileSync(join(folder, 'new', 'mine'), 'x')
    expect(await restore(...withPass(), ...key())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty'),
    })
    expect(names(join(folder, 'new'))).toEqual(['mine'])
  })

  it('it is a dry run', async () => {
    folder = scratchFolder()
    const run = await restore(...withPass(), ...key(), '--dry-run')
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was changed') })
    expect(names(folder)).toEqual([])
  })

  it.skipIf(mountMissing)('the disk is full, or too small from the first', async () => {
    const clear = slow()
    const large = (await create({ no_encrypt: true, passphrase: undefined })).path
    clear()
    for (const [size, said] of [
      ['8m', 'disk is full'],
      ['2500k', 'left'],
    ] as const) {
      const disk = smallDisk(`size=${size}`)
      try {
        const run = await here().run('backup', 'restore', large, '--to', join(disk.path, 'new'), ...key())
        expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining(said) })
        expect(names(disk.path)).toEqual([])
      } finally {
        disk.remove()
      }
    }
    rmSync(large)
  })
})

describe('a fault leaves nothing behind', () => {
  const partial = (folder: string) =>
    existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.partial'))

  it('of a daemon that was killed while it made a backup, after the next start', async () => {
    const clear = slow()
    const sound = names(backups())
    create({ no_encrypt: true, passphrase: undefined }).catch(() => undefined)
    await vi.waitUntil(() => partial(backups()), { timeout: 60_000, interval: 5 })
    await server.kill()
    await server.start()
    await vi.waitUntil(() => !partial(backups()), { timeout: 15_000, interval: 20 })
    expect(names(backups())).toEqual(sound)
    expect(existsSync(join(server.dataDir, 'backup.scratch'))).toBe(false)
    clear()
    expect((await create()).encrypted).toBe(true)
  })

  it('of a restore that was killed, after the next one', async () => {
    const clear = slow()
    const { path } = await create({ no_encrypt: true, passphrase: undefined })
    clear()
    const folder = scratchFolder()
    const to = join(folder, 'new')
    const bin = new URL('../../bin/musterd.js', import.meta.url).pathname
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SVC_CONTAINER_PROVIDER: 'process' }
    const child = spawn(process.execPath, [bin, 'backup', 'restore'], { env, stdio: ['pipe', 'ignore', 'ignore'] })
    child.stdin.end(JSON.stringify({ path, to }))
    await vi.waitUntil(() => existsSync(join(`${to}.restoring`, 'muster.db')), { timeout: 60_000, interval: 2 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(names(folder)).toEqual(['new.restoring'])
    expect((await here().run('backup', 'restore', path, '--to', to, ...key())).code).toBe(0)
    expect(names(folder)).toEqual(['new'])
    rmSync(path)
  })

  it.skipIf(mountMissing)('of a backup whose disk is full; the failure is in the journal', async () => {
    const clear = slow()
    const disk = smallDisk('size=4m')
    try {
      const other = await startMusterd({
        ...settings,
        HOME: disk.path,
        SVC_DATA_DIR: server.dataDir,
        SVC_PORT: '0',
      }).catch((error: Error) => error.message)
      expect(other).toContain('already uses')
      await server.stop()
      const daemon = await startMusterd({
        SVC_CONTAINER_PROVIDER: 'process',
        HOME: disk.path,
        SVC_DATA_DIR: server.dataDir,
        SVC_PORT: '0',
        SVC_BACKUP_DIR: join(disk.path, 'backups'),
      })
      try {
        const refused = create().catch((error) => error)
        expect(await refused).toMatchObject({ problem: { code: 'storage_full' } })
        expect(names(join(disk.path, 'backups'))).toEqual([])
        expect(existsSync(join(server.dataDir, 'backup.scratch'))).toBe(false)
        const failed = async () =>
          (await server.client.journal.list({ query: { entry_type: 'backup.failed' } })).entries
        await expect.poll(async () => (await failed())[0]?.payload).toMatchObject({ code: 'storage_full' })
      } finally {
        await daemon.stop()
        await server.start()
      }
    } finally {
      clear()
      disk.remove()
    }
  })
})

function credentials(): { token: string; workspace: string } {
  const headers = server.connection.headers() as Record<string, string>
  return { token: headers['authorization']!.replace('Bearer ', ''), workspace: server.connection.workspace! }
}

function cliOfOwner() {
  const { token, workspace } = credentials()
  return here({ SVC_TOKEN: token, SVC_WORKSPACE: workspace })
}
