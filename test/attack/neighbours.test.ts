import type Docker from 'dockerode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install, type Turn } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const key = 'sk-ant-api03-neighbours-7f3a91c2d4'
const memoryMb = 768

// Pages that hold something: untouched ones cost nothing.
const hog = `python3 -c "a = []
while True: a.append(b'x' * (16 << 20))"`

/** What the agent is to run, by the text that a person sent; whoever is sent anything else says hello. */
const commands: Record<string, string> = {
  'Take all memory.': `${hog}; echo ended with $?`,
  // The kernel chooses its victims by this number, and everybody may raise it for processes of their own.
  'Take all memory at the cost of your client.': `echo 1000 > /proc/$PPID/oom_score_adj && ${hog}`,
  'Take all processes.':
    // 2048, were there no bound.
    "perl -e 'for (1 .. 11) { defined fork or $refused = 1 } sleep 5; print " + `"refused\\n" if $refused' | sort -u`,
  'Fill what lies in memory.':
    'for it in /dev/shm /tmp; do head -c 4G /dev/zero > $it/filler; ' + 'wc -c < $it/filler; done',
}

const promptOf = ({ messages }: MessagesBody): string => {
  const { content } = messages.find(({ role }) => role === 'user')!
  return typeof content === 'string' ? content : (content.at(-1)?.text ?? '')
}
/** What the tool told the model, by the text that a person sent. */
const told: Record<string, string> = {}

let model: ModelEndpoint
let daemon: Installation
let installation: string

interface Neighbour {
  agentId: string
  container: Docker.Container
  startedAt: string
}
let bad: Neighbour
let good: Neighbour

async function move(slug: string, credentialId: string): Promise<Neighbour> {
  const { client } = daemon
  const { id: crewId } = await client.crews.create({ body: { name: slug, slug, container_memory_mb: memoryMb } })
  const { id: agentId } = await client.agents.create({ body: { name: slug, slug, crew_id: crewId } })
  await client.credentials.assign({ agentId, body: { credential_id: credentialId, env_var_name: 'ANTHROPIC_API_KEY' } })
  await client.crews.start({ crewId })
  const container = await containerOf(crewId)
  return { agentId, container, startedAt: (await container.inspect()).State.StartedAt }
}

beforeAll(async () => {
  model = await modelEndpoint(
    (body) => {
      const prompt = promptOf(body)
      const command = commands[prompt]
      const results = body.messages.flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result'),
      )
      if (results.length) told[prompt] = String(results.at(-1)!.content)
      return command && !results.length
        ? { text: 'I use a tool.', tools: [{ name: 'Bash', input: { command } }] }
        : { text: 'Hello.' }
    },
    { host: host!, keys: [key] },
  )
  daemon = await install({ SVC_CONTAINER_PREFIX: 'muster-neighbours', SVC_ANTHROPIC_URL: model.url })
  const { id } = await daemon.client.credentials.create({
    body: { name: 'key', value: key, type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  bad = await move('bad', id)
  good = await move('good', id)
  installation = (await good.container.inspect()).Config.Labels['svc.installation']!
})

afterAll(async () => {
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

/** Has the bad neighbour do its worst; turns of the good one go on until that has ended. */
async function beside(prompt: string): Promise<{ worst: Turn; turns: Turn[]; slowestHealthMs: number }> {
  let over = false
  const worst = daemon.turn(bad.agentId, prompt).finally(() => {
    over = true
  })
  const turns: Turn[] = []
  let slowestHealthMs = 0
  const watching = (async () => {
    while (!over) {
      const at = performance.now()
      expect((await daemon.connection.request('GET', '/api/health')).status).toBe(200)
      slowestHealthMs = Math.max(slowestHealthMs, performance.now() - at)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  do turns.push(await daemon.turn(good.agentId, 'Say hello.'))
  while (!over)
  await watching
  return { worst: await worst, turns, slowestHealthMs }
}

async function expectUndisturbed({ turns, slowestHealthMs }: Awaited<ReturnType<typeof beside>>): Promise<void> {
  expect(new Set(turns.map(({ run, answer }) => `${run.status} ${answer?.content} ${run.error_message}`))).toEqual(
    new Set(['COMPLETED Hello. null']),
  )
  expect(slowestHealthMs).toBeLessThan(2000)
  expect((await good.container.inspect()).State).toMatchObject({
    Running: true,
    OOMKilled: false,
    StartedAt: good.startedAt,
  })
}

describe.skipIf(missing)('a crew beside others', () => {
  it('that takes all memory loses what took it, inside its own limit', async () => {
    const all = await beside('Take all memory.')
    await expectUndisturbed(all)
    expect(told['Take all memory.']).toMatch(/ended with 137/)
    expect(all.worst.run).toMatchObject({ status: 'COMPLETED' })
    const { memory_stats } = (await bad.container.stats({ stream: false })) as Docker.ContainerStats
    expect(memory_stats.limit).toBe(memoryMb * 1024 * 1024)
  })

  it('that takes all memory at the cost of its own client is told so', async () => {
    const all = await beside('Take all memory at the cost of your client.')
    await expectUndisturbed(all)
    expect(all.worst.run).toMatchObject({
      status: 'FAILED',
      error_message: "The agent's process was ended by SIGKILL, perhaps for want of memory",
    })
    expect((await daemon.turn(bad.agentId, 'Say hello.')).run).toMatchObject({ status: 'COMPLETED' })
  })

  it('that takes all processes meets its own bound, and works again afterwards', async () => {
    const all = await beside('Take all processes.')
    await expectUndisturbed(all)
    expect(told['Take all processes.']).toContain('refused')
    expect((await bad.container.inspect()).HostConfig.PidsLimit).toBe(1024)
    expect((await daemon.turn(bad.agentId, 'Say hello.')).run).toMatchObject({ status: 'COMPLETED' })
  })

  it('that fills /dev/shm and /tmp gets an eighth of its memory in each, and its neighbours keep theirs', async () => {
    const all = await beside('Fill what lies in memory.')
    await expectUndisturbed(all)
    const eighth = (memoryMb / 8) * 1024 * 1024
    const sizes = [...told['Fill what lies in memory.']!.matchAll(/No space left on device\n(\d+)/g)].map(([, size]) =>
      Number(size),
    )
    expect(sizes).toHaveLength(2)
    // The client keeps a little in /tmp.
    for (const size of sizes) expect([size > eighth * 0.99, size <= eighth]).toEqual([true, true])
    expect(all.worst.run).toMatchObject({ status: 'COMPLETED' })
    expect((await daemon.turn(bad.agentId, 'Say hello.')).run).toMatchObject({ status: 'COMPLETED' })
  })
})
