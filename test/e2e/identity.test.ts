import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Cli, cli } from '../support/cli.ts'
import { ending } from '../support/endings.ts'
import { startMusterd } from '../support/musterd.ts'
import { stranger } from '../support/stranger.ts'

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
