import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../daemon/runtime/docker/exec.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// Two agents of one crew, each with the vendor's own client, write the same files, and the daemon dies in between.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const key = 'sk-ant-api03-writing-the-same'

/** Holds an answer back until it is let go. */
function held() {
  let go: () => void = () => undefined
  const until = new Promise<void>((resolve) => {
    go = resolve
  })
  return { go, pace: () => until }
}
const [adaEnds, boGoesOn, boEnds] = [held(), held(), held()]

const bash = (command: string) => [{ name: 'Bash', input: { command } }]
const scripts: Record<string, ScriptedTurn[]> = {
  'Begin the site.': [
    {
      text: 'I begin.',
      tools: bash('mkdir -p /crew/shared/web; cd /crew/shared/web; echo 1 > app.ts; echo 1 > more.ts'),
    },
    { text: ['I wait.'], pace: adaEnds.pace },
  ],
  'Change the site.': [
    { text: 'I change.', tools: bash('cd /crew/shared/web; echo 2 > .new; mv .new app.ts') },
    { text: ['Now more.'], pace: boGoesOn.pace, tools: bash('cd /crew/shared/web; echo 2 > .new; mv .new more.ts') },
    { text: ['Done.'], pace: boEnds.pace },
  ],
}

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let installation: string
const agents: Record<string, string> = {}

beforeAll(async () => {
  model = await modelEndpoint(
    ({ messages }: MessagesBody) => {
      const asked = JSON.stringify(messages[0])
      const script = Object.entries(scripts).find(([prompt]) => asked.includes(prompt))?.[1]
      return script?.[messages.filter(({ role }) => role === 'assistant').length] ?? { text: 'Hello.' }
    },
    { host: host!, keys: [key] },
  )
  daemon = await install({
    SVC_CONTAINER_PREFIX: 'muster-collide',
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '2048',
  })
  const { client } = daemon
  crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  const { id: credential_id } = await client.credentials.create({
    body: { name: 'model', value: key, type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  for (const name of ['Ada', 'Bo']) {
    const { id } = await client.agents.create({ body: { name, slug: name.toLowerCase(), crew_id: crewId } })
    await client.credentials.assign({ agentId: id, body: { credential_id, env_var_name: 'ANTHROPIC_API_KEY' } })
    agents[name] = id
  }
  await client.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
})

afterAll(async () => {
  for (const it of [adaEnds, boGoesOn, boEnds]) it.go()
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

const waits = { timeout: 60_000 }
const told = async () =>
  (await daemon.client.collisions.list({ query: { crew_id: crewId } })).map(({ summary }) => summary)
const state = async () => (await daemon.client.collisions.watch({ crewId })).state

/** What watches the folders in the container. */
async function watchers(): Promise<string[]> {
  const argv = ['pgrep', '-u', '1005', 'perl']
  const { stdout } = await run(await containerOf(crewId), { user: '1002:1002', argv })
  return stdout.split('\n').filter(Boolean)
}

async function begin(name: string, prompt: string): Promise<string> {
  return daemon.say(await daemon.openChat(agents[name]!), prompt)
}

describe.skipIf(missing)('two agents at work in the folder that they share', () => {
  it('are noticed when they write the same file, also by the daemon that follows one that was killed', async () => {
    const first = await begin('Ada', 'Begin the site.')
    // Old enough to have been written before the other one began, by whole seconds.
    const old = 'cd /crew/shared/web && test $(($(date +%s) - $(stat -c %Y more.ts))) -ge 3 && echo old'
    const written = async () =>
      (await run(await containerOf(crewId), { user: '20001:1001', argv: ['sh', '-c', old] })).stdout
    await expect.poll(written, waits).toBe('old\n')
    expect([await state(), await watchers()]).toEqual(['idle', []])
    const second = await begin('Bo', 'Change the site.')
    const app = 'Ada and Bo both wrote "web/app.ts" while both were working'
    await expect.poll(told, waits).toEqual([app])
    expect(await watchers()).toHaveLength(1)

    await daemon.kill()
    await expect.poll(watchers, waits).toEqual([])
    await daemon.start()
    await expect.poll(state, waits).toBe('watching')
    expect(await watchers()).toHaveLength(1)
    boGoesOn.go()
    await expect.poll(told, waits).toEqual([app.replace('app.ts', 'more.ts'), app])
    const [newest] = await daemon.client.collisions.list({ query: { run_id: second } })
    expect(newest).toMatchObject({ first_run_id: first, second_run_id: second, certain: true, kind: 'file' })

    boEnds.go()
    await expect.poll(watchers, waits).toEqual([])
    expect(await state()).toBe('idle')
    adaEnds.go()
    await expect.poll(async () => (await daemon.client.runs.show({ runId: first })).status, waits).toBe('COMPLETED')
  })
})
