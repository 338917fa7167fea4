import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { alive } from '../../../cli/local/daemon.ts'
import { type Cli, cli } from '../../support/cli.ts'

const started: number[] = []
afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
})

const alone = (): Cli => cli({ SVC_CONTAINER_PROVIDER: 'process', SVC_PORT: '0' })
const data = ({ home }: Cli) => join(home, '.local/share/muster')
const note = (it: Cli) =>
  JSON.parse(readFileSync(join(data(it), 'musterd.json'), 'utf8')) as { url: string; pid: number }

async function up(it: Cli, ...flags: string[]) {
  const ran = await it.run('up', ...flags)
  if (ran.code === 0) started.push(note(it).pid)
  return ran
}

describe('muster up, status and down', () => {
  it('starts the daemon once, tells how it is, and drains it', async () => {
    const it = alone()
    expect(await it.run('status')).toMatchObject({ code: 8, stderr: expect.stringContaining('Next: muster up') })
    const first = await up(it)
    const { url, pid } = note(it)
    expect(first).toEqual({ code: 0, stdout: `${url}\n`, stderr: expect.stringContaining('Next: muster init') })
    expect(await it.run('up')).toMatchObject({
      code: 0,
      stdout: `${url}\n`,
      stderr: expect.stringContaining('is already running'),
    })
    const elsewhere = await it.run('up', '--port', '8123')
    expect(elsewhere.stderr).toContain(
      'It goes on as it was started, without --port. Next: muster down, then muster up',
    )
    expect(note(it).pid).toBe(pid)
    expect(JSON.parse((await it.run('status', '--json')).stdout)).toMatchObject({
      server: `unix://${data(it)}/musterd.sock`,
      url,
      pid,
    })
    expect(readFileSync(join(data(it), 'musterd.log'), 'utf8')).toContain('"msg":"Ready"')
    expect(await it.run('down')).toMatchObject({ code: 0, stderr: '✓ The daemon has stopped.\n' })
    expect(alive(pid)).toBe(false)
    expect(await it.run('down')).toMatchObject({ code: 0, stderr: '✓ No daemon is running here.\n' })
  })

  it('carries the whole of a beginning: up, init, a crew, status', async () => {
    const it = alone()
    await up(it)
    expect((await it.pipe('correct horse battery', 'init', '--email', 'ada@example.com', '--name', 'Ada')).code).toBe(0)
    expect((await it.run('crews', 'create', 'Web')).stdout).toBe('web\n')
    expect(JSON.parse((await it.run('status', '--json')).stdout)).toMatchObject({
      runtime: 'process',
      crews: 1,
      agents: { total: 0 },
    })
    expect((await it.run('contexts', '-q')).stdout).toBe('local\n')
  })

  it('says why the daemon did not come up', async () => {
    const it = alone()
    const ran = await it.run('up', '--host', '0.0.0.0')
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('would carry tokens over the network in clear'),
    })
    expect(ran.stderr).toContain('Next: correct it, then start again')
    const other = cli({ ...it.env, SVC_LOG_LEVEL: 'loud' })
    expect(await other.run('up')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SVC_LOG_LEVEL must be one of'),
    })
  })

  it('does not take another process for the daemon after a crash', async () => {
    const it = alone()
    await up(it)
    process.kill(note(it).pid, 'SIGKILL')
    await expect.poll(() => alive(note(it).pid)).toBe(false)
    const bystander = spawn('sleep', ['60'])
    started.push(bystander.pid!)
    writeFileSync(join(data(it), 'musterd.json'), JSON.stringify({ ...note(it), pid: bystander.pid }))
    expect(await it.run('down')).toMatchObject({ code: 0, stderr: '✓ No daemon is running here.\n' })
    expect(alive(bystander.pid!)).toBe(true)
    expect(existsSync(join(data(it), 'musterd.sock'))).toBe(true)
    expect((await up(it)).code).toBe(0)
  })
})
