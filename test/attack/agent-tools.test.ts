import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentRoutes } from '#runtime/sidecar/agent-tools'
import { hostileJson } from '../support/hostile-json.ts'
import { filesWith, type Installation, install } from '../support/installation.ts'

// An agent that has turned against its owner, played by a program of its own, calls everything that agents may call.

const root = fileURLToPath(new URL('../..', import.meta.url))
const secret = 'Kq"7/+s3cr-t&Z-4711'
const bytes = Buffer.from(secret)
const forms = [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  bytes.toString('hex'),
  bytes.toString('base64').replace(/=+$/, ''),
]

let daemon: Installation
let agentId: string
let crewId: string
let scratch: string

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'muster-hostile-'))
  daemon = await install({
    SVC_CONTAINER_PROVIDER: 'process',
    SVC_CLAUDE_COMMAND: join(root, 'templates/demo/claude-stand-in/claude'),
  })
  const { client } = daemon
  crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  agentId = (await client.agents.create({ body: { name: 'Eve', slug: 'eve', crew_id: crewId, agent_role: 'LEAD' } })).id
  const { id } = await client.credentials.create({ body: { name: 'deploy', value: secret, type: 'SECRET' } })
  await client.credentials.assign({ agentId, body: { credential_id: id, env_var_name: 'DEPLOY' } })
  await client.policies.set({ crewId, body: { autonomy_level: 'full', behavior_mode: 'warn', reason: 'a test' } })
  await client.crews.start({ crewId })
})

afterAll(async () => {
  await daemon?.remove()
  rmSync(scratch, { recursive: true, force: true })
})

/** Has the agent do a deed of hostile-agent.mjs; what it printed. */
async function deed(...words: string[]): Promise<unknown> {
  const program = `${process.execPath} ${join(root, 'test/attack/hostile-agent.mjs')}`
  const { run } = await daemon.turn(agentId, `run: ${program} ${words.join(' ')} > said.json`)
  expect(run.status).toBe('COMPLETED')
  return JSON.parse(await daemon.download(agentId, 'said.json'))
}

const entries = async (type: string) =>
  (await daemon.client.journal.list({ query: { entry_type: type, limit: 500 } })).entries

describe('a hostile agent', () => {
  it('writes a secret that it was given nowhere that anybody reads', async () => {
    const { client } = daemon
    const done = deed('leak')
    for (const _ of forms) {
      const open = async () => (await client.escalations.list({ crewId, query: { status: 'PENDING' } }))[0]?.id
      await expect.poll(open, { timeout: 30_000 }).toBeTruthy()
      await client.escalations.resolve({ escalationId: (await open())!, body: { resolution: 'Seen.' } })
    }
    expect(await done).toEqual(forms.flatMap(() => [202, 201, 200]))
    await client.inbox.list({ query: {} })
    await client.agents.list({ query: {} })
    await client.escalations.list({ crewId, query: {} })
    await client.journal.list({ query: { limit: 500 } })
    const said = daemon.said.join('\n')
    expect(forms.filter((form) => said.includes(form) || said.includes(JSON.stringify(form).slice(1, -1)))).toEqual([])
    expect(await daemon.stop()).toBe(0)
    const own = (name: string) => !name.includes('secrets/') && !name.includes('said.json')
    expect(filesWith(daemon.dataDir, forms).filter(own)).toEqual([])
    await daemon.start()
  })

  it('floods in vain: what counts is what it may, and the journal stays readable', async () => {
    const before = (await entries('run.confidence')).length
    const { seen, seconds } = (await deed('flood', '3000')) as { seen: Record<string, number>; seconds: number }
    // A full bucket, and what flows back meanwhile: one in five seconds.
    const allowed = 12 + Math.ceil(seconds / 5)
    expect(Object.keys(seen).sort()).toEqual(['202', '429'])
    expect(seen['202']).toBeLessThanOrEqual(allowed)
    expect(seen['202']! + seen['429']!).toBe(3000)
    expect(await entries('run.confidence')).toHaveLength(before + seen['202']!)
    expect((await entries('agent.throttled')).length).toBeLessThanOrEqual(1 + Math.ceil(seconds / 60))
    expect((await daemon.client.system.health({})).status).toBe('ok')
  })

  it('breaks nothing with bodies that are nested or wide', async () => {
    const bodies = hostileJson.flatMap(([, json]) =>
      [...agentRoutes, '/mcp'].flatMap((route) => [
        [route, json],
        [route, `{"reason":${json},"question":${json},"metadata":${json}}`],
        [
          route,
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"escalate","arguments":{"reason":${json}}}}`,
        ],
      ]),
    )
    const file = join(scratch, 'bodies.json')
    writeFileSync(file, JSON.stringify(bodies))
    const statuses = (await deed('send', file)) as number[]
    const other = bodies
      .map(([route, body], index) => [statuses[index], route, body!.slice(0, 60)])
      .filter(([status]) => status !== 400)
    expect(other.filter(([status]) => status !== 413)).toEqual([])
    expect((await daemon.client.system.health({})).status).toBe('ok')
    expect(await deed('send', file)).toEqual(statuses)
  })
})
