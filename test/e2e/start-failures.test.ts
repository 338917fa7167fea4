import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { type DataFolder, dataFolder, usedFolder } from '../support/data-folder.ts'
import { ending } from '../support/endings.ts'
import { leaveOut } from '../support/leave-out.ts'
import { asNobody, otherUserMissing } from '../support/other-user.ts'
import { mountMissing, smallDisk } from '../support/small-disk.ts'
import { stranger } from '../support/stranger.ts'

leaveOut(otherUserMissing)
leaveOut(mountMissing)

interface Finding {
  name: string
  status: string
  detail: string
  fix: string | null
}

let original: DataFolder
const made: DataFolder[] = []
const copy = (): DataFolder => {
  const it = original.copy()
  made.push(it)
  return it
}
beforeAll(async () => {
  original = await usedFolder()
})
afterEach(() => {
  for (const it of made.splice(0)) it.remove()
})
afterAll(() => original?.remove())

const quiet = { SVC_PORT: '0', SVC_CONTAINER_PROVIDER: 'process' }
const failures = (stdout: string): Record<string, Finding> =>
  Object.fromEntries(
    (JSON.parse(stdout) as Finding[]).filter(({ status }) => status === 'fail').map((it) => [it.name, it]),
  )
/** What `muster doctor` finds wrong with a folder. */
async function examine(dir: string, env: Record<string, string> = {}): Promise<Record<string, Finding>> {
  const { code, stdout } = await cli({ ...quiet, SVC_DATA_DIR: dir, ...env }).run('doctor', '--json')
  expect(code).toBe(1)
  return failures(stdout)
}

function expectPlain(said: string): void {
  expect(said).toMatch(/^musterd: \S.*\n(Next: \S.*\n)?$/)
  expect(said).not.toMatch(/\n\s+at |node:internal/)
}

describe('a daemon that cannot start says why, with a code for the kind:', () => {
  it.each([
    [{ SVC_PORT: 'abc' }, 'SVC_PORT must be a whole number, not "abc"'],
    [
      { SVC_CONFIG_FILE: '/nonexistent/musterd.yaml' },
      'The configuration file /nonexistent/musterd.yaml cannot be read',
    ],
    [{ SVC_TLS_CERT: '/nonexistent/a.crt', SVC_TLS_KEY: '/nonexistent/a.key' }, 'server.tls_cert cannot be read'],
    [{ ENCRYPTION_KEY: 'short' }, 'The encryption key must be 64 hexadecimal characters'],
  ])('2 for the configuration %j', async (env, words) => {
    const folder = dataFolder()
    made.push(folder)
    const { code, said } = await folder.refusal(env)
    expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining(words) })
    expectPlain(said)
  })

  it('2 for a flag that there is not', () => {
    const { code, stderr } = asNobodyOrRoot(['--prot', '1'])
    expect(code).toBe(2)
    expectPlain(stderr)
  })

  it('4 while another daemon works on the folder', async () => {
    const it = copy()
    await it.start()
    const { code, said } = await it.refusal()
    expect({ code, said }).toEqual({ code: 4, said: expect.stringContaining(`Another musterd already uses ${it.dir}`) })
    expectPlain(said)
  })

  it('7 where the port is taken, by whom, and which one is free', async () => {
    const it = copy()
    const { port, process } = await stranger()
    const { code, said } = await it.refusal({ SVC_PORT: String(port) })
    expect(code).toBe(7)
    expect(said).toContain(`127.0.0.1:${port} is taken by process ${process.pid}: a-stranger`)
    expectPlain(said)
    const free = Number(/--port (\d+)/.exec(said)![1])
    const server = createServer().listen(free, '127.0.0.1')
    await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
    server.close()
  })

  it('7 where the address is none of this machine', async () => {
    const { code, said } = await copy().refusal({
      SVC_HOST: '192.0.2.1',
      SVC_PORT: '8123',
      SVC_TRUSTED_PROXY_CIDRS: '::1',
    })
    expect({ code, said }).toEqual({
      code: 7,
      said: expect.stringContaining('192.0.2.1 is not an address of this machine'),
    })
    expectPlain(said)
  })
})

/** As whoever runs the tests. */
function asNobodyOrRoot(words: string[]) {
  const root = new URL('../..', import.meta.url).pathname
  try {
    execFileSync(process.execPath, [`${root}bin/musterd.js`, ...words], { encoding: 'utf8', stdio: 'pipe' })
    return { code: 0, stderr: '' }
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string }
    return { code: status, stderr }
  }
}

describe.skipIf(otherUserMissing)('the data of another user', () => {
  const env = (it: DataFolder) => ({ ...quiet, HOME: '/nonexistent', SVC_DATA_DIR: it.dir })

  it('is named by the daemon, which makes nothing there', async () => {
    const it = copy()
    const closed = asNobody('musterd', [], env(it))
    expect(closed.code).toBe(5)
    expectPlain(closed.stderr)
    expect(closed.stderr).toContain('This user may not look into')
    chownSync(it.dir, 65534, 65534)
    const { code, said } = await it.refusal()
    expect(code).toBe(5)
    expectPlain(said)
    expect(said).toContain(`${it.dir} belongs to the user with the id 65534, and this is 0`)
    const up = await cli({ ...quiet, SVC_DATA_DIR: it.dir }).run('up', '--json')
    expect(JSON.parse(up.stderr)).toMatchObject({ code: 'access_refused' })
    expect(existsSync(it.path('musterd.log'))).toBe(false)
    expect((await examine(it.dir))['data']).toMatchObject({
      detail: expect.stringContaining('the id 65534, and this is 0'),
    })
    for (const name of ['muster.db-wal', 'muster.db-shm']) expect(existsSync(it.path(name))).toBe(false)
  })

  it('is named by up, down, status and doctor', () => {
    const it = copy()
    const folder = env(it)
    expect(asNobody('muster', ['up'], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Error: .* belongs to another user, .*\.\nDocs: .*\nNext: start it as the user whose data/,
      ),
    })
    expect(asNobody('muster', ['down'], folder)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('This user may not look into'),
    })
    expect(asNobody('muster', ['status'], folder)).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/This user may not open unix:.*\nDocs: .*\nNext: muster doctor\n/),
    })
    const { code, stdout } = asNobody('muster', ['doctor', '--json'], folder)
    expect(code).toBe(1)
    expect(failures(stdout)['data']).toMatchObject({
      detail: `This user may not look into ${it.dir}: it belongs to another user`,
      fix: expect.stringContaining('SVC_DATA_DIR'),
    })
  })

  it('an engine without rights to it is told from none', () => {
    const it = copy()
    const socket = it.path('docker.sock')
    mkdirSync(join(socket, 'below'), { recursive: true, mode: 0o700 })
    const { stdout } = asNobody('muster', ['doctor', '--json'], {
      ...env(it),
      SVC_CONTAINER_PROVIDER: 'docker',
      DOCKER_HOST: `unix://${socket}/below/engine.sock`,
    })
    expect(failures(stdout)['runtime']).toMatchObject({
      detail: expect.stringMatching(/^This user may not use the Docker engine at unix:/),
      fix: expect.stringContaining('usermod -aG docker'),
    })
  })
})

describe.skipIf(mountMissing)('a disk', () => {
  const disk = (options = 'size=24m') => {
    const it = smallDisk(options)
    ending(() => it.remove())
    return it
  }

  it('that is full is named by the daemon (6), by up and by doctor', async () => {
    const { path, fill } = disk()
    fill()
    const { code, said } = await dataFolder().refusal({ SVC_DATA_DIR: path })
    expect({ code, said }).toEqual({ code: 6, said: expect.stringContaining('The disk of the data folder is full') })
    expectPlain(said)
    const up = await cli({ ...quiet, SVC_DATA_DIR: path }).run('up', '--json')
    expect(JSON.parse(up.stderr)).toMatchObject({ code: 'storage_refused', error: expect.stringContaining('is full') })
    expect((await examine(path))['disk']).toMatchObject({ detail: expect.stringMatching(/is full: 0 MB free$/) })
  })

  it('that takes no more files is named by doctor', async () => {
    const { path, fillWithFiles } = disk('size=2g,nr_inodes=40')
    fillWithFiles()
    expect((await examine(path))['disk']).toMatchObject({ detail: `The disk of ${path} takes no more files` })
  })

  it('that is read-only is named by the daemon (6), by up and by doctor', async () => {
    const { path } = disk()
    execFileSync('mount', ['-o', 'remount,ro', path])
    const { code, said } = await dataFolder().refusal({ SVC_DATA_DIR: path })
    expect({ code, said }).toEqual({ code: 6, said: expect.stringContaining('cannot be written') })
    expectPlain(said)
    expect(await cli({ ...quiet, SVC_DATA_DIR: path }).run('up')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The disk of ${path} is read-only`),
    })
    expect((await examine(path))['disk']).toMatchObject({ detail: `The disk of ${path} is read-only` })
  })
})

describe('muster doctor', () => {
  it.each<[string, (it: DataFolder) => void, RegExp, RegExp]>([
    ['damaged', ({ path }) => writeFileSync(path('muster.db'), 'garbage '.repeat(1024)), /is damaged/, /newest backup/],
    [
      'cut',
      ({ path }) => truncateSync(path('muster.db'), statSync(path('muster.db')).size / 2),
      /is damaged/,
      /backup/,
    ],
    [
      'newer',
      (it) => it.edit(`INSERT INTO migrations VALUES ('9999-later.sql', '', '')`),
      /written by a newer version/,
      /Run that version/,
    ],
    ['older than its seals', (it) => it.edit('DELETE FROM journal WHERE seq > 5'), /are missing/, /backup/],
    ['gone', ({ path }) => rmSync(path('muster.db')), /muster\.db is missing, but/, /backup/],
    [
      'of another key',
      ({ path }) => writeFileSync(path('encryption.key'), 'ab'.repeat(32), { mode: 0o600 }),
      /encryption\.key is not the key/,
      /Bring back the key/,
    ],
  ])('names a database that is %s', async (_what, lose, detail, fix) => {
    const it = copy()
    lose(it)
    const before = statSync(it.dir).mtimeMs
    expect((await examine(it.dir))['database']).toMatchObject({
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    })
    expect(existsSync(it.path('musterd.lock'))).toBe(existsSync(original.path('musterd.lock')))
    expect(before).toBeGreaterThan(0)
  })

  it('names what holds the port', async () => {
    const { port, process } = await stranger()
    expect((await examine(copy().dir, { SVC_PORT: String(port) }))['port']).toMatchObject({
      detail: expect.stringContaining(`taken by process ${process.pid}: a-stranger`),
      fix: expect.stringMatching(/--port \d+/),
    })
  })

  it('mends what is safe to mend, and changes nothing that is stored', async () => {
    const it = copy()
    const { daemon } = await it.start()
    await daemon.kill()
    chmodSync(it.dir, 0o755)
    chmodSync(it.path('encryption.key'), 0o644)
    const size = statSync(it.path('muster.db')).size
    const muster = cli({ ...quiet, SVC_DATA_DIR: it.dir })
    const before = await muster.run('doctor', '--jq', '.[] | select(.name == "leftovers" or .name == "data") | .status')
    expect(before.stdout).toBe('fail\nwarn\n')
    const { stdout, stderr } = await muster.run('doctor', '--fix', '--json')
    expect(failures(stdout)).toEqual({ server: expect.objectContaining({ fix: 'muster up' }) })
    expect(stdout).not.toContain('leftovers')
    expect(stderr).toContain(`Closed ${it.path('encryption.key')} to other users`)
    expect(stderr).toContain(`Removed ${it.path('musterd.sock')}`)
    expect(existsSync(it.path('musterd.sock'))).toBe(false)
    expect([it.dir, it.path('encryption.key')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
    expect(statSync(it.path('muster.db')).size).toBe(size)
  })

  it('leaves a daemon that works as it is', async () => {
    const it = copy()
    await it.start()
    const muster = cli({ ...quiet, SVC_DATA_DIR: it.dir })
    const { stderr } = await muster.run('doctor', '--fix')
    expect(stderr).not.toContain('Removed')
    expect((await muster.run('status')).code).toBe(0)
  })

  it('makes a data folder that is missing', async () => {
    const { home, run } = cli(quiet)
    const { stderr } = await run('doctor', '--fix')
    const dir = join(home, '.local/share/muster')
    expect(stderr).toContain(`Made ${dir}`)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })
})

describe('without a Docker engine', () => {
  it('muster up says so, and names the ways out', async () => {
    const it = dataFolder()
    made.push(it)
    const muster = cli({ SVC_PORT: '0', SVC_DATA_DIR: it.dir, DOCKER_HOST: 'unix:///nonexistent/docker.sock' })
    const up = await muster.run('up')
    const { pid } = JSON.parse(readFileSync(it.path('musterd.json'), 'utf8')) as { pid: number }
    ending(() => process.kill(pid, 'SIGKILL'))
    expect(up.code).toBe(0)
    expect(up.stderr).toContain('Agents cannot run yet. No Docker engine answers')
    expect(up.stderr).toContain('systemctl start docker')
    expect(up.stderr).toContain('DOCKER_HOST')
    expect(up.stderr).toContain('--container-provider process')
  })
})
