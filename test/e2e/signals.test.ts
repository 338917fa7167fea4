import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, expect, it } from 'vitest'
import { ending } from '../support/endings.ts'
import { type Musterd, startMusterd } from '../support/musterd.ts'

const root = new URL('../..', import.meta.url).pathname
const scratch = mkdtempSync(join(tmpdir(), 'muster-signals-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

interface Line {
  msg: string
  level: number
  reason?: string
  changed?: string[]
  certificate?: boolean
  settings?: string[]
}

interface Started {
  daemon: Musterd
  /** The first log line that matches, as soon as it is there. */
  logged(msg: RegExp, after?: number): Promise<Line>
  lines: Line[]
}

async function start(name: string, env: Record<string, string> = {}): Promise<Started> {
  const said: string[] = []
  const settings = { HOME: scratch, SVC_DATA_DIR: join(scratch, name), SVC_CONTAINER_PROVIDER: 'process' }
  const daemon = await startMusterd({ ...settings, ...env }, (text) => said.push(text))
  ending(() => daemon.kill())
  const lines = () =>
    said
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('{"level"') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line)
  return {
    daemon,
    get lines() {
      return lines()
    },
    async logged(msg, after = 0) {
      const found = () =>
        lines()
          .slice(after)
          .find((line) => msg.test(line.msg))
      await expect.poll(found, { timeout: 10_000 }).toBeTruthy()
      return found()!
    },
  }
}

it('SIGHUP reads the configuration again, and names what takes a restart', async () => {
  const file = join(scratch, 'reload.yaml')
  writeFileSync(file, 'server:\n  port: 0\nlogging:\n  level: info\n')
  const it = await start('reload', { SVC_CONFIG_FILE: file })
  const asked = async () => (await fetch(`${it.daemon.url}/healthz`)).status
  await asked()
  expect(it.lines.some(({ msg }) => msg === 'Request')).toBe(false)
  writeFileSync(file, 'server:\n  port: 0\nlogging:\n  level: debug\norchestrator:\n  max_concurrent_runs: 3\n')
  it.daemon.process.kill('SIGHUP')
  expect(await it.logged(/read again$/)).toMatchObject({ changed: ['logging.level'], certificate: false })
  expect(await it.logged(/after a restart/)).toMatchObject({ settings: ['orchestrator.max_concurrent_runs'] })
  await asked()
  await it.logged(/^Request$/)
})

it('SIGHUP with a file that is broken changes nothing and names the fault', async () => {
  const file = join(scratch, 'broken.yaml')
  writeFileSync(file, 'server:\n  port: 0\n')
  const it = await start('broken', { SVC_CONFIG_FILE: file })
  writeFileSync(file, 'server:\n  port: many\n')
  it.daemon.process.kill('SIGHUP')
  expect(await it.logged(/nothing was changed/)).toMatchObject({
    level: 50,
    reason: 'server.port must be a whole number, not "many"',
  })
  expect((await fetch(`${it.daemon.url}/healthz`)).status).toBe(200)
})

it('SIGHUP serves a certificate that was renewed, and keeps the old one when the new one does not fit', async () => {
  const [cert, key] = [join(scratch, 'tls.crt'), join(scratch, 'tls.key')]
  cpSync(join(root, 'test/fixtures/tls/localhost.crt'), cert)
  cpSync(join(root, 'test/fixtures/tls/localhost.key'), key)
  const it = await start('tls', { SVC_PORT: '0', SVC_TLS_CERT: cert, SVC_TLS_KEY: key })
  const { port } = new URL(it.daemon.url)
  const served = async () => {
    const socket = connectSecurely({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { subject } = socket.getPeerCertificate()
    socket.destroy()
    return subject.CN
  }
  const before = await served()
  renew(join(scratch, 'other.key'), cert)
  it.daemon.process.kill('SIGHUP')
  expect(await it.logged(/nothing was changed/)).toMatchObject({ reason: expect.stringContaining('cannot be served') })
  expect(await served()).toBe(before)
  renew(key, cert)
  it.daemon.process.kill('SIGHUP')
  expect(await it.logged(/read again$/)).toMatchObject({ certificate: true })
  expect(await served()).toBe('renewed.example')
})

/** Makes a key and a certificate for it. */
function renew(key: string, cert: string): void {
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=renewed.example'
  execFileSync('openssl', [...words.split(' '), '-keyout', key, '-out', cert], { stdio: 'pipe' })
}

it('a second SIGTERM stops at once', async () => {
  const { daemon, logged } = await start('stop', { SVC_PORT: '0', SVC_SHUTDOWN_TIMEOUT: '60s' })
  const { port } = new URL(daemon.url)
  // A request whose body never comes keeps the daemon draining.
  const socket = connect(Number(port), '127.0.0.1')
  ending(() => socket.destroy())
  socket.on('error', () => {})
  socket.write('POST /api/v1/bootstrap HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n')
  socket.write('content-length: 10\r\n\r\n')
  await expect.poll(async () => (await fetch(`${daemon.url}/healthz`)).status).toBe(200)
  const ended = once(daemon.process, 'exit')
  daemon.process.kill('SIGTERM')
  await logged(/^Stopping$/)
  daemon.process.kill('SIGTERM')
  expect(await ended).toEqual([1, null])
  expect(await logged(/at once/)).toMatchObject({ level: 40 })
})

it('what prints only goes quiet when nobody reads on', () => {
  const command = `set -o pipefail; "${process.execPath}" "${root}bin/musterd.js" openapi | head -1`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', command], { encoding: 'utf8' })
  expect({ stdout, stderr, status }).toEqual({ stdout: '{\n', stderr: '', status: 0 })
})
