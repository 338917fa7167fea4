import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { instanceProof } from '#client/instance'
import { type Cli, cli } from '../support/cli.ts'
import { ending } from '../support/endings.ts'
import { fakeServer, json } from '../support/fake-server.ts'
import { leaveOut } from '../support/leave-out.ts'
import { startMusterd } from '../support/musterd.ts'
import { stranger } from '../support/stranger.ts'

const ownerMissing = process.getuid?.() === 0 ? false : 'only root may give a file to another user'
leaveOut(ownerMissing)

const alone = (env: Record<string, string> = {}): Cli => cli({ SVC_CONTAINER_PROVIDER: 'process', ...env })
const data = ({ home }: Cli) => join(home, '.local/share/muster')
const note = (it: Cli): { url: string; pid: number } => JSON.parse(readFileSync(join(data(it), 'musterd.json'), 'utf8'))

async function running(env: Record<string, string> = {}): Promise<Cli> {
  const it = alone(env)
  const daemon = await startMusterd(it.env)
  ending(() => daemon.kill())
  return it
}

it('a program on the port is not the daemon, whatever it answers', async () => {
  const { port, process, asked } = await stranger()
  const it = alone({ SVC_PORT: String(port) })
  const up = await it.run('up')
  expect(up).toMatchObject({ code: 1, stdout: '' })
  expect(up.stderr).toContain(`127.0.0.1:${port} is taken by process ${process.pid}: a-stranger `)
  expect(up.stderr).toMatch(/Next: muster up --port \d+, or end that program\n/)
  const flag = await cli({ ...it.env, SVC_PORT: '0' }).run('up', '--port', String(port), '--json')
  expect(JSON.parse(flag.stderr)).toMatchObject({ code: 'address_taken', exit_code: 1 })
  expect(await it.run('status')).toMatchObject({ code: 8, stdout: '' })
  expect(await it.run('init')).toMatchObject({ code: 8, stderr: expect.stringContaining('Next: muster up') })
  expect(await it.run('crews')).toMatchObject({ code: 8 })
  const { stdout } = await it.run('doctor', '--jq', '.[] | select(.name == "port") | .status, .detail')
  expect(stdout).toMatch(new RegExp(`^fail\n127\\.0\\.0\\.1:${port} is taken by process ${process.pid}: `))
  expect(asked).toEqual([])
})

it('the port that is offered is free', async () => {
  const { port } = await stranger()
  const it = alone({ SVC_PORT: String(port) })
  const offered = /--port (\d+)/.exec((await it.run('up')).stderr)![1]!
  const up = await it.run('up', '--port', offered)
  ending(() => process.kill(note(it).pid, 'SIGKILL'))
  expect(up).toMatchObject({ code: 0, stdout: `http://127.0.0.1:${offered}\n` })
})

it('the daemon of another data folder is not this one’s', async () => {
  const first = await running()
  const { port } = new URL(note(first).url)
  const other = await running()
  process.kill(note(other).pid, 'SIGKILL')
  rmSync(join(data(other), 'musterd.sock'))
  rmSync(join(data(other), 'musterd.json'))
  const there = cli({ ...other.env, SVC_PORT: port })
  expect(await there.run('status')).toMatchObject({ code: 8 })
  expect(await there.run('down')).toMatchObject({ code: 0, stderr: '✓ No daemon is running here.\n' })
  const up = await there.run('up')
  expect(up).toMatchObject({ code: 1, stderr: expect.stringContaining(`taken by process ${note(first).pid}: `) })
  expect((await first.run('status')).code).toBe(0)
})

it('the daemon of another data folder is not stopped, though its process has the id of one that crashed', async () => {
  const [first, other] = [await running(), await running()]
  process.kill(note(other).pid, 'SIGKILL')
  writeFileSync(join(data(other), 'musterd.json'), JSON.stringify({ ...note(other), pid: note(first).pid }))
  expect(await other.run('down')).toMatchObject({ code: 0, stderr: '✓ No daemon is running here.\n' })
  expect((await first.run('status')).code).toBe(0)
})

it('a daemon whose socket is gone is found where it proves itself', async () => {
  const it = await running()
  rmSync(join(data(it), 'musterd.sock'))
  const { url, pid } = note(it)
  expect(JSON.parse((await it.run('status', '--json')).stdout)).toMatchObject({ server: url, pid })
  expect(await it.run('up')).toMatchObject({ code: 0, stderr: expect.stringContaining('already running') })
})

it('a program that passes the question on to the daemon is not taken for it', async () => {
  const it = await running()
  const { url, pid } = note(it)
  const passed: string[] = []
  const relay = createServer((asked, reply) => {
    passed.push(asked.url!)
    request(`${url}${asked.url}`, (answer) => answer.pipe(reply)).end()
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  ending(() => relay.close())
  const { port } = relay.address() as AddressInfo
  rmSync(join(data(it), 'musterd.sock'))
  writeFileSync(join(data(it), 'musterd.json'), JSON.stringify({ url: `http://127.0.0.1:${port}`, pid }))
  expect(await it.run('status')).toMatchObject({ code: 8 })
  expect(passed).toEqual([expect.stringMatching(/^\/healthz\?challenge=[0-9a-f]{64}$/)])
})

it('a key that is empty proves nothing', async () => {
  const { port, asked } = await stranger()
  const it = await running()
  process.kill(note(it).pid, 'SIGKILL')
  rmSync(join(data(it), 'musterd.sock'))
  rmSync(join(data(it), 'musterd.json'))
  writeFileSync(join(data(it), 'instance.key'), '')
  expect(await cli({ ...it.env, SVC_PORT: String(port) }).run('status')).toMatchObject({ code: 8 })
  expect(asked).toEqual([])
})

it.skipIf(ownerMissing)('a data folder of another user proves nothing, and is sent nothing', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-trap-'))
  ending(() => rmSync(dir, { recursive: true, force: true }))
  const key = 'a'.repeat(64)
  const at = join(dir, 'musterd.sock')
  const trap = await fakeServer(({ url }, reply) => {
    const challenge = /challenge=(\w+)/.exec(url)?.[1]
    const instance = challenge && { id: 'x', proof: instanceProof(key, challenge, {}) }
    json(reply, { status: 'ok', version: '9.9.9', uptime: 1, needs_bootstrap: true, instance })
  }, at)
  writeFileSync(join(dir, 'instance.key'), key)
  const sleeper = spawn('sleep', ['600'])
  ending(() => sleeper.kill('SIGKILL'))
  writeFileSync(join(dir, 'musterd.json'), JSON.stringify({ pid: sleeper.pid, url: 'http://127.0.0.1:1' }))
  const victim = alone({ SVC_DATA_DIR: dir, SVC_TOKEN: 'secret' })
  const server = `unix://${at}`
  mkdirSync(join(victim.home, '.config/muster'), { recursive: true })
  writeFileSync(
    join(victim.home, '.config/muster/config.yaml'),
    `contexts:\n  here:\n    server: ${JSON.stringify(server)}\n    token: stored\n`,
    { mode: 0o600 },
  )
  const everything = ['.', 'instance.key', 'musterd.sock', 'musterd.json'].map((name) => join(dir, name))
  // Each of them alone gives the trap away.
  for (const foreign of [everything, [dir], [at, join(dir, 'instance.key')]]) {
    for (const path of everything) chownSync(path, 0, 0)
    for (const path of foreign) chownSync(path, 65534, 65534)
    const owner = /belongs to the user with the id 65534/
    expect(await victim.run('crews')).toMatchObject({ code: 8, stderr: expect.stringMatching(owner) })
    expect(await victim.run('status')).toMatchObject({ code: 8, stderr: expect.stringMatching(owner) })
    expect(await victim.run('crews', '--context', 'here')).toMatchObject({ code: 8 })
    expect(await victim.pipe('password', 'init', '--email', 'a@b.c', '--name', 'A')).toMatchObject({ code: 8 })
    expect(await victim.pipe('token', 'login')).toMatchObject({ code: 8 })
    expect(await victim.run('__complete', 'crews', 'show', '')).toMatchObject({ stdout: '' })
    expect((await victim.run('down')).code).not.toBeNull()
    expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull()
  }
  expect(trap.seen).toEqual([])
  // Whoever names the address means it.
  expect(await victim.run('status', '-s', server)).toMatchObject({ code: 0 })
})

it('only the owner of the data folder can read the key of the proof, and no answer holds it', async () => {
  const it = await running()
  const key = readFileSync(join(data(it), 'instance.key'), 'utf8')
  const { url } = note(it)
  const ask = async (challenge: string) => (await fetch(`${url}/healthz?challenge=${challenge}`)).text()
  const [one, other] = [await ask('0'.repeat(64)), await ask('1'.repeat(64))]
  expect(one).not.toBe(other)
  expect(one + other).not.toContain(key)
  expect(await (await fetch(`${url}/healthz`)).json()).not.toHaveProperty('instance')
  for (const bad of ['', '0', 'G'.repeat(64), '0'.repeat(65)])
    expect((await fetch(`${url}/healthz?challenge=${bad}`)).status).toBe(400)
})
