import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Musterd, startMusterd } from '../support/musterd.ts'
import { taskClient } from '../support/task-client.ts'

const data = mkdtempSync(join(tmpdir(), 'muster-missions-'))
const kills = Number(process.env['MUSTER_CRASHES'] ?? 50)
const client = taskClient(data, { ms: 400 })
const env = {
  SVC_DATA_DIR: data,
  SVC_PORT: '0',
  SVC_CONTAINER_PROVIDER: 'process',
  SVC_CLAUDE_COMMAND: client.program,
  SVC_LOG_LEVEL: 'error',
  HOME: data,
}

let daemon: Musterd
let token = ''
let workspace = ''

// biome-ignore lint/suspicious/noExplicitAny: a test states the shape that it expects
type Body = any

/** Asks the daemon of the moment, until one answers. */
async function ask(method: string, path: string, body?: object): Promise<Body> {
  for (;;) {
    try {
      const reply = await fetch(`${daemon.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-workspace-id': workspace,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      })
      return await reply.json()
    } catch {
      await pause(20)
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

beforeAll(async () => {
  daemon = await startMusterd(env)
  const made = await ask('POST', '/bootstrap', {
    full_name: 'Ada',
    email: 'ada@example.com',
    password: 'correct horse battery',
  })
  token = made.cli_token
  workspace = made.workspace_id
})

afterAll(async () => {
  await daemon?.stop()
  rmSync(data, { recursive: true, force: true })
})

/** Four rows of four tasks; each task depends on two of the row before. */
const tasks = (agents: string[]) =>
  Array.from({ length: 16 }, (_, at) => {
    const [row, column] = [Math.floor(at / 4), at % 4]
    const needed = row ? [(row - 1) * 4 + column, (row - 1) * 4 + ((column + 1) % 4)] : []
    const depends_on = needed.map((it) => `t${it}`)
    return { key: `t${at}`, title: `Task ${at}`, assigned_agent_id: agents[column]!, depends_on }
  })

it('does each of 16 tasks once, whenever the daemon is killed', { timeout: 600_000 }, async () => {
  const crew = await ask('POST', '/crews', { name: 'Crash', slug: 'crash', max_concurrent_agents: 3 })
  const agent = async (slug: string, agent_role = 'AGENT') =>
    (await ask('POST', '/agents', { name: slug, slug, crew_id: crew.id, agent_role })).id
  const agents = [await agent('ada', 'LEAD'), await agent('bob'), await agent('cleo'), await agent('dan')]
  await ask('PUT', `/crews/${crew.id}/policy`, { autonomy_level: 'full', behavior_mode: 'warn', reason: 'a test' })
  const path = `/crews/${crew.id}/missions`
  const mission = { title: 'Crash', lead_agent_id: agents[0], tasks: tasks(agents) }
  const missions: string[] = []
  const begin = async () => {
    const { id } = await ask('POST', path, { ...mission, title: `Crash ${missions.length}` })
    missions.push(id)
    await ask('POST', `${path}/${id}/start`)
  }
  const isOver = async (id: string) => (await ask('GET', `${path}/${id}`)).status === 'COMPLETED'
  await begin()
  for (let n = 0; n < kills; n++) {
    await pause(Math.random() * 700)
    await daemon.kill()
    daemon = await startMusterd(env)
    // There is always a mission at work for the next crash.
    if (n < kills - 1 && (await isOver(missions.at(-1)!))) await begin()
  }
  for (const id of missions) await expect.poll(() => isOver(id), { timeout: 240_000, interval: 200 }).toBe(true)

  const once = Array.from({ length: 16 }, (_, at) => Array(missions.length).fill(`Task ${at}`)).flat()
  expect(client.done().sort()).toEqual(once.sort())
  for (const id of missions) {
    const { tasks } = await ask('GET', `${path}/${id}`)
    // An attempt that could not begin is tried again: what was done is in the record above.
    expect(tasks.map(({ status }: Body) => status)).toEqual(Array(16).fill('COMPLETED'))
    const { entries } = await ask('GET', `/journal?mission_id=${id}&limit=500&entry_type=mission.status_change`)
    const moves = entries.flatMap(({ payload }: Body) => (payload.action === 'status_changed' ? [payload.to] : []))
    expect(moves.reverse()).toEqual(['IN_PROGRESS', 'REVIEW', 'COMPLETED'])
    expect(entries.filter(({ payload }: Body) => payload.action === 'task_completed')).toHaveLength(16)
  }
  expect((await ask('GET', '/runs?status=RUNNING')).data).toEqual([])
  expect(await ask('GET', '/journal/verify')).toMatchObject({ valid: true })
})
