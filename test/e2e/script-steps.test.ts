import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RoutineDefinition } from '#contract/routine-definition'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { agentProcesses, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'

// Scripts of routines in a crew's container: as a user of their own, below the crew's network policy, over a crash.

leaveOut(engineMissing)

const secret = 'tok-4711-secret'
let daemon: Installation
let crewId: string
let installation = ''

beforeAll(async () => {
  daemon = await install({ SVC_CONTAINER_PREFIX: 'muster-scripts' })
  const api = daemon.client
  crewId = (await api.crews.create({ body: { name: 'Works', slug: 'works', allowed_domains: ['allowed.invalid'] } })).id
  await api.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })
  await api.credentials.create({ body: { name: 'TOKEN', type: 'SECRET', value: secret } })
  await api.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
}, 300_000)
afterAll(async () => {
  await daemon?.remove()
  if (installation) await removeInstallation(installation)
})

/** As the agent, which writes scripts that routines run. */
const asAgent = async (...argv: string[]) => run(await containerOf(crewId), { user: '20001:1001', argv })
const write = async (name: string, text: string) =>
  expect(await asAgent('sh', '-c', 'umask 002; printf "%s" "$1" > "/crew/shared/$2"', 'sh', text, name)).toMatchObject({
    code: 0,
  })
const workspace = async () => (await daemon.client.workspaces.list({ query: {} }))[0]!.id

async function begin(slug: string, script: object) {
  const workspaceId = await workspace()
  const definition = {
    dsl_version: '1.0',
    name: slug,
    credentials_required: [{ type: 'TOKEN' }],
    steps: [{ id: 'work', type: 'script', script: { path: `${slug}.sh`, ...script } }],
  } as unknown as RoutineDefinition
  const body = { slug, definition, skip_test_gate: true, skip_governance_gate: true, author_crew_id: crewId }
  await daemon.client.routines.save({ workspaceId, body })
  const { run_id } = await daemon.client.routines.run({ workspaceId, routineSlug: slug, body: { wait_seconds: 0 } })
  return run_id!
}

async function ended(runId: string) {
  const workspaceId = await workspace()
  const result = () => daemon.client.routines.result({ workspaceId, routineRunId: runId, query: {} })
  await expect.poll(async () => (await result()).ended_at, { timeout: 60_000 }).toBeTruthy()
  return result()
}

it('run as a user of their own, which the network policy of the crew holds too', async () => {
  await write(
    'look.sh',
    `fetch() { curl -sS -o /dev/null "https://$1/" 2>&1 | tr -dc 'a-zA-Z0-9 '; }
     printf '{"uid":"%s","home":"%s","away":"%s","denied":"%s","allowed":"%s"}' "$(id -u)" "$PWD" \\
       "$(ls /crew/agents/ada 2>&1 | grep -o 'Permission denied')" "$(fetch other.invalid)" "$(fetch allowed.invalid)"`,
  )
  const done = await ended(await begin('look', {}))
  expect(done, done.error_message ?? '').toMatchObject({
    status: 'completed',
    output: { uid: '30000', home: '/output/_script0', away: 'Permission denied' },
  })
  const { denied, allowed } = done.output as Record<string, string>
  expect(denied).toContain('403')
  expect(allowed).not.toContain('403')
  const { entries } = await daemon.client.journal.list({ query: { entry_type: 'network.egress' } })
  expect(entries).toMatchObject([{ payload: { denied: true, host: 'other.invalid' } }])
  expect(entries[0]).not.toHaveProperty('agent_id')
})

it('keep their secrets from agents, go on while the daemon is dead, and leave nothing', async () => {
  await write(
    'slow.sh',
    'echo x >> /crew/shared/count; until [ -e /crew/shared/go ]; do sleep 0.1; done; echo "has $T"',
  )
  const runId = await begin('slow', { env: { T: '{{ secrets.TOKEN }}' } })
  await expect.poll(async () => (await asAgent('cat', '/crew/shared/count')).stdout, { timeout: 60_000 }).toBe('x\n')
  const seen = await asAgent('sh', '-c', 'cat /proc/*/environ /proc/*/cmdline 2>/dev/null; ls -la /secrets')
  expect(seen.stdout).toContain('slow.sh')
  expect(seen.stdout).not.toContain(secret)
  await daemon.kill()
  await asAgent('touch', '/crew/shared/go')
  await daemon.start()
  expect(await ended(runId)).toMatchObject({ status: 'completed', output: 'has [redacted]', steps: [{ attempt: 1 }] })
  expect((await asAgent('cat', '/crew/shared/count')).stdout).toBe('x\n')
  const left = async () => (await asAgent('sh', '-c', 'ls -d /*/_script0 /crew/agents/_script0 2>/dev/null')).stdout
  await expect.poll(left).toBe('')
})

it('end with their crew, and all that they started', async () => {
  await write('wait.sh', 'setsid sleep 1000 & echo x > /crew/shared/waits; exec sleep 1000')
  const runId = await begin('wait', {})
  await expect.poll(async () => (await asAgent('cat', '/crew/shared/waits')).stdout, { timeout: 60_000 }).toBe('x\n')
  expect(await agentProcesses(await containerOf(crewId))).not.toEqual([])
  await daemon.client.crews.stop({ crewId })
  expect((await ended(runId)).error_message).toBe('The script was stopped: The crew was stopped')
  await daemon.client.crews.start({ crewId })
  expect(await agentProcesses(await containerOf(crewId))).toEqual([])
})
