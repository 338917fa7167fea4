import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { attack, local, opened, random, seed } from '../support/disk-attack.ts'
import { diskScene, pause, processesOf } from '../support/disk-scene.ts'
import { ending } from '../support/endings.ts'
import { leaveOut } from '../support/leave-out.ts'
import { startMusterd } from '../support/musterd.ts'
import { mountMissing } from '../support/small-disk.ts'

leaveOut(mountMissing)

const ends = 'run.completed,run.failed,run.cancelled,run.timeout'

/**
 * Agents in local processes write to the same disk, so they may fail, and some cut their output short without noticing.
 */
it.skipIf(mountMissing)(
  `30 times a full disk, agents as local processes (MUSTER_SEED=${seed})`,
  { timeout: 300_000 },
  async () => {
    const it = await opened('size=24m')
    const chats = await Promise.all(['ada', 'bob', 'cyd'].map(it.scene.newChat))
    await attack(it, chats)
    const counts = await it.scene.expectWhole(false)
    expect(counts['COMPLETED']).toBeGreaterThan(0)
    expect(processesOf(it.disk.path)).toEqual([it.scene.daemon.process.pid])
    expect(await it.scene.daemon.stop()).toBe(0)
  },
)

describe.skipIf(mountMissing)('a disk that is full', () => {
  it('is named, and needs no restart', { timeout: 60_000 }, async () => {
    const { disk, scene } = await opened('size=24m')
    const chat = await scene.newChat('ada')
    const refused = await scene.untilRefused(disk.fill)
    expect(refused).toMatchObject({
      status: 507,
      body: { code: 'storage_full', detail: expect.stringContaining('Free space') },
    })
    const why = 'The disk that holds the data is full'
    expect(await scene.call('GET', '/api/health')).toEqual({
      status: 200,
      body: { status: 'degraded', degraded: [{ name: 'disk', reason: why }] },
    })
    expect(await scene.call('GET', '/readyz')).toEqual({
      status: 503,
      body: { status: false, checks: { db: true, state: true, disk: false }, reason: why },
    })
    const muster = cli({ SVC_SERVER: scene.daemon.url, SVC_TOKEN: scene.token, SVC_WORKSPACE: scene.workspace })
    expect(await muster.run('status')).toMatchObject({ code: 0, stdout: expect.stringContaining(why) })
    expect(await muster.run('doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining(why) })
    const large = 'x'.repeat(150_000)
    const { code, stderr } = await muster.pipe(large, 'chats', 'send', chat, '-')
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringMatching(/disk that holds the data is full[\s\S]*Next: muster doctor/),
    })
    disk.free()
    await scene.healthy()
    expect((await scene.call('GET', '/readyz')).status).toBe(200)
    expect((await scene.call('POST', `/chats/${chat}/messages`, { content: 'count to 3' })).status).toBe(202)
    await scene.expectStored()
    await scene.expectWhole(true)
  })

  it('keeps nobody from stopping the daemon, and the next one ends what was going on', {
    timeout: 60_000,
  }, async () => {
    const { disk, scene } = await opened('size=24m')
    const chat = await scene.newChat('ada')
    const { body } = await scene.call('POST', `/chats/${chat}/messages`, { content: 'count slowly to 600' })
    const ended = async () =>
      (await scene.call('GET', `/journal?trace_id=${body.run_id}&entry_type=${ends}`)).body.entries.length
    const begun = join(disk.path, 'data/crews', scene.crewId, 'spool/ada', body.run_id, 'group')
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true)
    await scene.untilRefused(disk.fill)
    // The program has nowhere to write to and ends; that stays unwritten.
    await expect.poll(() => processesOf(disk.path).length, { timeout: 20_000 }).toBeLessThan(4)
    expect(await ended()).toBe(0)
    expect(await scene.daemon.stop()).toBe(0)
    disk.free()
    await scene.start()
    await expect.poll(ended, { timeout: 20_000 }).toBe(1)
    await scene.expectWhole(false)
    expect(processesOf(disk.path)).toEqual([scene.daemon.process.pid])
  })
})

it.each(['json', 'text'])('a log in %s that cannot be written ends no daemon', async (format) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-log-'))
  ending(() => rmSync(folder, { recursive: true }))
  const full = openSync('/dev/full', 'w')
  const warn = "process.on('SIGUSR2', () => setInterval(() => process.emitWarning('Odd'), 1))"
  const env = {
    ...local,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(warn)}`,
    HOME: folder,
    SVC_DATA_DIR: folder,
    SVC_PORT: '0',
    SVC_LOG_FORMAT: format,
    SVC_LOG_LEVEL: 'debug',
  }
  const daemon = await startMusterd(env, undefined, { log: full })
  ending(() => daemon.kill())
  closeSync(full)
  daemon.process.kill('SIGUSR2')
  for (let n = 0; n < 5; n++) expect((await fetch(`${daemon.url}/api/health`)).status).toBe(200)
  expect(await daemon.stop()).toBe(0)
})

describe.skipIf(mountMissing)('a disk that takes no more files', () => {
  it('is named, and keeps no program from its end and no run from its entry', { timeout: 120_000 }, async () => {
    const { disk, scene } = await opened('size=24m,nr_inodes=400')
    const [chat, other] = [await scene.newChat('ada'), await scene.newChat('bob')]
    const going = (await scene.call('POST', `/chats/${other}/messages`, { content: 'count slowly to 600' })).body.run_id
    const begun = join(disk.path, 'data/crews', scene.crewId, 'spool/bob', going, 'group')
    await expect.poll(() => existsSync(begun), { timeout: 20_000 }).toBe(true)
    disk.fillWithFiles()
    const { status, body } = await scene.call('POST', `/chats/${chat}/messages`, { content: 'count to 3' })
    expect(status).toBe(202)
    await expect
      .poll(async () => (await scene.call('GET', '/api/health')).body.status, { timeout: 20_000 })
      .toBe('degraded')
    expect((await scene.call('POST', `/chats/${other}/cancel`)).body.run_id).toBe(going)
    const agents = () =>
      processesOf(disk.path).filter((pid) => commandOf(pid) === 'node' && pid !== scene.daemon.process.pid)
    await expect.poll(agents, { timeout: 20_000 }).toEqual([])
    disk.free()
    const statusOf = async (run: string) => (await scene.call('GET', `/runs/${run}`)).body.status
    await expect.poll(() => statusOf(going), { timeout: 40_000 }).toBe('CANCELLED')
    await expect.poll(() => statusOf(body.run_id), { timeout: 40_000 }).not.toBe('RUNNING')
    await scene.healthy()
    await scene.expectWhole(true)
    expect(processesOf(disk.path)).toEqual([scene.daemon.process.pid])
  })
})

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

/**
 * The kernel takes a disk with open files back from nobody, so the folder is made immutable: open files take no writes
 * then either.
 */
const immutable: string | false = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-immutable-'))
  try {
    chattr('+i', folder)
    chattr('-i', folder)
    return false
  } catch {
    return 'files cannot be made immutable: that takes root, chattr and a file system that knows it (ext4, XFS, Btrfs)'
  } finally {
    rmSync(folder, { recursive: true })
  }
})()

function chattr(flag: '+i' | '-i', folder: string): void {
  const { status, stderr } = spawnSync('chattr', [flag, folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  // Sockets and pipes have no attributes, and agents make and remove files meanwhile: not every file is there that was.
  // SQLite's
  // shared memory is left out: the kernel ends who writes to mapped memory that cannot be written back (SIGBUS).
  const inside = readdirSync(folder).filter((name) => !name.endsWith('-shm'))
  spawnSync('chattr', ['-R', '-f', flag, ...inside.map((name) => join(folder, name))])
}

leaveOut(immutable)

describe.skipIf(immutable)('a folder that turns read-only under load', () => {
  it('answers reads, refuses writes with a code, and goes on when it can be written again', {
    timeout: 120_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-read-only-'))
    ending(() => rmSync(folder, { recursive: true }))
    const scene = await diskScene(folder, local, random)
    ending(async () => {
      chattr('-i', join(folder, 'data'))
      await scene.daemon.kill()
      for (const pid of processesOf(folder)) process.kill(pid, 'SIGKILL')
    })
    const chats = await Promise.all(['ada', 'bob'].map(scene.newChat))
    const talking = Promise.allSettled(chats.map((chat) => scene.talk(chat)))
    for (let round = 0; round < 4; round++) {
      await pause(500 + random() * 500)
      chattr('+i', join(folder, 'data'))
      const refused = await scene.untilRefused(() => undefined)
      expect(refused).toMatchObject({
        status: 503,
        body: { code: 'storage_unavailable', detail: expect.stringContaining('cannot be written') },
      })
      expect(await scene.call('GET', '/readyz')).toMatchObject({
        status: 503,
        body: { checks: { db: true, disk: false } },
      })
      expect((await scene.call('GET', `/chats/${chats[0]}/messages`)).status).toBe(200)
      await pause(random() * 500)
      chattr('-i', join(folder, 'data'))
      await scene.healthy()
      await scene.expectStored()
    }
    scene.stop()
    expect((await talking).filter(({ status }) => status === 'rejected')).toEqual([])
    await scene.expectWhole(false)
    expect(processesOf(folder)).toEqual([scene.daemon.process.pid])
  })
})
