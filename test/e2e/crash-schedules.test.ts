import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { crashWhileStarting, type Musterd, startMusterd } from '../support/musterd.ts'

const root = new URL('../..', import.meta.url).pathname
const data = mkdtempSync(join(tmpdir(), 'muster-crash-'))
const rounds = 10
const minute = 60_000
const env = {
  SVC_DATA_DIR: data,
  SVC_PORT: '0',
  SVC_CONTAINER_PROVIDER: 'process',
  SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
  SVC_LOG_LEVEL: 'error',
  HOME: data,
}

let daemon: Musterd | undefined
let headers: Record<string, string> = {}
afterAll(async () => {
  await daemon?.stop()
  rmSync(data, { recursive: true, force: true })
})

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
async function call(method: string, path: string, body?: object): Promise<any> {
  const reply = await fetch(`${daemon!.url}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(reply.ok, `${method} ${path}: ${reply.status}`).toBe(true)
  return reply.json()
}

/** A database that no daemon has open. */
function within<T>(work: (db: Database.Database) => T): T {
  const db = new Database(join(data, 'muster.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const due = (agent: string, ago: number) =>
  within((db) => {
    const at = `${new Date(Date.now() - ago).toISOString().slice(0, 19)}Z`
    expect(db.prepare('UPDATE agent_schedules SET next_run = ? WHERE agent_id = ?').run(at, agent).changes).toBe(1)
  })

/** What became of an agent's due time. */
async function became(agent: string): Promise<string[]> {
  const types = 'run.started,agent.schedule_missed,agent.schedule_skipped'
  const { entries } = await call('GET', `/journal?agent_id=${agent}&entry_type=${types}`)
  return entries.map(({ entry_type }: { entry_type: string }) => entry_type)
}

it(`a due time counts once over ${rounds} crashes`, { timeout: 300_000 }, async () => {
  daemon = await startMusterd(env)
  const person = { full_name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const made = await call('POST', '/bootstrap', person)
  headers = { authorization: `Bearer ${made.cli_token}`, 'x-workspace-id': made.workspace_id }
  const crew = await call('POST', '/crews', { name: 'Works', slug: 'works' })
  const agents: string[] = []
  for (let n = 0; n < rounds; n++) {
    const schedule = { schedule_cron: '0 0 1 1 *', schedule_prompt: 'count to 2', schedule_enabled: true }
    const draft = { name: `Agent ${n}`, slug: `agent-${n}`, crew_id: crew.id, ...schedule }
    agents.push((await call('POST', '/agents', draft)).id)
  }
  await daemon.kill()
  for (const [n, agent] of agents.entries()) {
    // One while no daemon runs, and one that may come while a daemon does.
    due(agent, n % 2 ? 10 * minute : -1000)
    await crashWhileStarting(env, 300 + Math.random() * 2000)
  }
  daemon = await startMusterd(env)
  const waiting = async () =>
    (await call('GET', '/agents')).filter(
      (it: { schedule_next_run: string }) => Date.parse(it.schedule_next_run) < Date.now(),
    )
  await expect.poll(waiting, { timeout: 30_000 }).toEqual([])
  const all = async () => (await call('GET', '/runs?trigger=CRON')).data.map((it: { status: string }) => it.status)
  await expect.poll(all, { timeout: 60_000 }).not.toContain('RUNNING')
  const runs = (await all()).length
  const counted = await Promise.all(agents.map(became))
  for (const [n, entries] of counted.entries()) {
    expect(entries, `agent ${n}`).toHaveLength(1)
    if (n % 2) expect(entries, `agent ${n}`).toEqual(['agent.schedule_missed'])
  }
  expect(counted.flat().filter((entry) => entry === 'run.started')).toHaveLength(runs)
  await daemon.stop()
  daemon = undefined
})
