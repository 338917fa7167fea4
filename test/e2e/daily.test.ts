import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '#client'
import { type Cli, cli } from '../support/cli.ts'
import { eventually } from '../support/eyes.ts'
import { type Musterd, startMusterd } from '../support/musterd.ts'

// The daily commands with a real daemon, which is killed under them.

const root = new URL('../..', import.meta.url).pathname
const data = mkdtempSync(join(tmpdir(), 'muster-daily-'))
const env = {
  SVC_DATA_DIR: data,
  SVC_PORT: '0',
  SVC_CONTAINER_PROVIDER: 'process',
  SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
  SVC_ENV: 'development',
  SVC_RATELIMIT_DISABLED: 'true',
  SVC_LOG_LEVEL: 'error',
  HOME: data,
}

let daemon: Musterd
let api: Client
let variables: Record<string, string>

async function restart(): Promise<void> {
  await daemon.kill()
  daemon = await startMusterd(env)
}

/** The command line of the first user, over the local socket as on any machine. */
const muster = (): Cli => cli(variables)

beforeAll(async () => {
  daemon = await startMusterd(env)
  const server = `unix://${join(data, 'musterd.sock')}`
  const made = await createClient({ server }).bootstrap.create({
    body: { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' },
  })
  const token = made.cli_token
  api = createClient({ server, token, workspace: made.workspace_id })
  variables = { SVC_DATA_DIR: data, SVC_TOKEN: token, SVC_WORKSPACE: made.workspace_id }
  const crew = await api.crews.create({ body: { name: 'Backend', slug: 'backend' } })
  const agent = await api.agents.create({ body: { name: 'Grace', slug: 'grace', crew_id: crew.id } })
  const key = await api.credentials.create({
    body: { name: 'key', type: 'API_KEY', provider: 'ANTHROPIC', value: 'sk-ant-none' },
  })
  await api.credentials.assign({
    agentId: agent.id,
    body: { credential_id: key.id, env_var_name: 'ANTHROPIC_API_KEY' },
  })
})

afterAll(async () => {
  await daemon.stop()
  rmSync(data, { recursive: true, force: true })
})

const numbers = (n: number) => Array.from({ length: n }, (_, at) => `${at + 1} `).join('')

describe('while the daemon is killed and started again', () => {
  it('ask tells everything once', async () => {
    const asking = muster().run('ask', 'grace', 'count slowly to 25')
    await running()
    await restart()
    expect(await asking).toEqual({ code: 0, stdout: `${numbers(25)}\n`, stderr: '' })
  })

  it('a chat goes on where it was', async () => {
    const size = { cols: 100, rows: 20 }
    const terminal = muster().terminal(['chat', 'grace'], { ...size, env: { NO_COLOR: '1' } })
    await eventually(terminal, (lines) => lines.at(-1) === '›', size)
    terminal.type('count slowly to 25\r')
    await eventually(terminal, (lines) => lines.some((line) => line.startsWith('1 2 3 4')), size)
    await restart()
    const lines = await eventually(terminal, (lines) => lines.some((line) => line.includes('tokens')), size)
    expect(lines).toContain(numbers(25).trim())
    expect(lines.filter((line) => line.includes('count slowly'))).toHaveLength(1)
    terminal.type('\u0004')
    expect(await terminal.ended).toBe(0)
  })

  it('the journal’s tail shows every entry once and in order', async () => {
    const tail = follow()
    const first = await tail.first()
    const crewId = (await api.crews.list({ query: {} })).find(({ slug }) => slug === 'backend')!.id
    for (let round = 0; round < 3; round++) {
      const writing = write(crewId, 40)
      await restart()
      await writing
    }
    // More than the stream sends again, written while the tail is not there to hear it.
    tail.process.kill('SIGSTOP')
    await restart()
    await write(crewId, 650)
    tail.process.kill('SIGCONT')
    await write(crewId, 1)
    const all = await everyId(first)
    expect(all.length).toBeGreaterThan(770)
    expect(await tail.until(all.at(-1)!)).toEqual([first, ...all])
  })
})

async function running(): Promise<void> {
  while (!(await api.runs.list({ query: { status: 'RUNNING' } })).data.length)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Changes something so many times; what a killed daemon did not answer is tried again. */
async function write(crewId: string, times: number): Promise<void> {
  for (let n = 0; n < times; ) {
    try {
      await api.crews.update({ crewId, body: { description: `change ${n}` } })
      n++
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

async function everyId(after: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await api.journal.list({ query: { limit: 500, cursor } })
    ids.push(...page.entries.map(({ id }) => id))
    cursor = page.next_cursor
    if (!cursor || ids.includes(after)) break
  }
  return ids.slice(0, ids.indexOf(after)).reverse()
}

/** `muster journal tail -f`, and the ids that it tells. */
function follow() {
  const child = spawn(process.execPath, [join(root, 'bin/muster.js'), 'journal', 'tail', '-f', '-n', '1', '-q'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: data, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ids: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => void ids.push(line))
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`The tail ended after ${ids.length} entries`)))
  ended.catch(() => undefined)
  const more = () => Promise.race([once(lines, 'line'), ended])
  return {
    process: child,
    async first(): Promise<string> {
      while (!ids.length) await more()
      return ids[0]!
    },
    async until(id: string): Promise<string[]> {
      while (ids.at(-1) !== id) await more()
      child.kill()
      return ids
    },
  }
}
