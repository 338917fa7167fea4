import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// Two agents of one crew, each with the vendor's own client, ask each other with the tool that Muster gives them.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const key = 'sk-ant-api03-asking-each-other'

type Script = (step: number, last: string) => ScriptedTurn
const textsOf = (content: MessagesBody['messages'][number]['content']): string =>
  typeof content === 'string' ? content : JSON.stringify(content)
const promptOf = ({ messages }: MessagesBody): string => textsOf(messages.find(({ role }) => role === 'user')!.content)
const query = (target: string, question: string): ScriptedTurn => ({
  text: 'I ask.',
  tools: [{ name: 'mcp__muster__query', input: { target, question } }],
})

/** Holds an answer back until it is let go. */
function held() {
  let go: () => void = () => undefined
  const until = new Promise<void>((resolve) => {
    go = resolve
  })
  return { go, turn: (text: string): ScriptedTurn => ({ text: [text], pace: () => until }) }
}
const slow = { killed: held(), cancelled: held() }

/** What each prompt leads to: ada asks bo, who asks back; ada, who answers that, may not ask on. */
const scripts: readonly [prompt: string, Script][] = [
  ['Find the port.', (step, last) => (step === 0 ? query('bo', 'Which port is it?') : { text: `Heard: ${last}` })],
  [
    'Which port is it?',
    (step, last) =>
      step === 0 ? query('@ada', 'Who wants to know?') : { text: last.includes('It is me') ? 'Port 3000.' : last },
  ],
  ['Wait for bo.', (step, last) => (step === 0 ? query('bo', 'Take your time.') : { text: `Heard: ${last}` })],
  ['Take your time.', () => slow.killed.turn('Here I am.')],
  ['Ask, then stop.', (step, last) => (step === 0 ? query('bo', 'Never mind.') : { text: `Heard: ${last}` })],
  ['Never mind.', () => slow.cancelled.turn('Too late.')],
  [
    'Who wants to know?',
    (step, last) =>
      step === 0 ? query('bo', 'Do you not see?') : { text: last.includes('2 deep') ? 'It is me.' : last },
  ],
]

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let ada: string
let installation: string

beforeAll(async () => {
  model = await modelEndpoint(
    (body) => {
      const script = scripts.find(([prompt]) => promptOf(body).includes(prompt))?.[1]
      const steps = body.messages.filter(({ role }) => role === 'assistant').length
      return script?.(steps, textsOf(body.messages.at(-1)!.content)) ?? { text: 'Hello.' }
    },
    { host: host!, keys: [key] },
  )
  daemon = await install({
    SVC_CONTAINER_PREFIX: 'muster-peers',
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '2048',
  })
  const { client } = daemon
  crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  const { id: credential_id } = await client.credentials.create({
    body: { name: 'model', value: key, type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  const mate = async (name: string, slug: string) => {
    const { id } = await client.agents.create({ body: { name, slug, crew_id: crewId } })
    await client.credentials.assign({ agentId: id, body: { credential_id, env_var_name: 'ANTHROPIC_API_KEY' } })
    return id
  }
  ada = await mate('Ada', 'ada')
  await mate('Bo', 'bo')
  await client.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
})

afterAll(async () => {
  slow.killed.go()
  slow.cancelled.go()
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

const waits = { timeout: 60_000 }

/** The conversation about a question, as soon as there is one. */
async function newest(question: string) {
  const find = async () =>
    (await daemon.client.crews.peerConversations({ crewId, query: {} })).find((one) => one.question === question)
  await expect.poll(find, waits).toBeTruthy()
  return (await find())!
}

describe.skipIf(missing)('two agents of a crew', () => {
  it('ask each other up to the limit, and the first one uses the answer', async () => {
    const { frames, run, runId } = await daemon.turn(ada, 'Find the port.')
    expect(run).toMatchObject({ status: 'COMPLETED' })
    expect(spoken(frames)).toMatch(/Heard: .*Port 3000\./)
    const asked = await daemon.client.crews.peerConversations({ crewId, query: {} })
    expect(asked).toMatchObject([
      { from_slug: 'bo', to_slug: 'ada', question: 'Who wants to know?', response: 'It is me.', status: 'COMPLETED' },
      { from_slug: 'ada', to_slug: 'bo', question: 'Which port is it?', response: 'Port 3000.', status: 'COMPLETED' },
    ])
    expect(asked[1]!.asking_run_id).toBe(runId)
    expect(asked[0]!.asking_run_id).toBe(asked[1]!.run_id)
    for (const { run_id } of asked) {
      expect(await daemon.client.runs.show({ runId: run_id })).toMatchObject({ trigger_type: 'PEER_QUERY' })
      expect(endsIn(await daemon.entriesOf(run_id))).toMatchObject([{ entry_type: 'run.completed' }])
    }
    const { agents } = await daemon.client.crews.standup({ crewId, query: {} })
    expect(agents.map(({ slug, asked, answered, runs }) => [slug, asked, answered, runs.completed])).toEqual([
      ['ada', 1, 1, 2],
      ['bo', 1, 1, 1],
    ])
  })

  it('get an answer through a daemon that is killed, once', async () => {
    const chatId = await daemon.openChat(ada)
    const runId = await daemon.say(chatId, 'Wait for bo.')
    const { id, run_id } = await newest('Take your time.')
    await expect.poll(() => model.messages.some((body) => promptOf(body).includes('Take your time.')), waits).toBe(true)
    await daemon.kill()
    await daemon.start()
    expect(await newest('Take your time.')).toMatchObject({ id, status: 'RUNNING' })
    slow.killed.go()
    await expect.poll(async () => (await daemon.client.runs.show({ runId })).status, waits).toBe('COMPLETED')
    expect((await daemon.messagesOf(chatId)).at(-1)!.content).toMatch(/Heard: .*Here I am\./)
    expect(await newest('Take your time.')).toMatchObject({ id, status: 'COMPLETED', response: 'Here I am.' })
    expect(endsIn(await daemon.entriesOf(run_id))).toMatchObject([{ entry_type: 'run.completed' }])
  })

  it('both end when the asking run is cancelled', async () => {
    const chatId = await daemon.openChat(ada)
    const runId = await daemon.say(chatId, 'Ask, then stop.')
    const { run_id } = await newest('Never mind.')
    await daemon.client.runs.cancel({ runId })
    for (const one of [runId, run_id])
      await expect.poll(async () => (await daemon.client.runs.show({ runId: one })).status, waits).toBe('CANCELLED')
    expect(await newest('Never mind.')).toMatchObject({ status: 'FAILED', error: 'The run that asked is over' })
    expect(endsIn(await daemon.entriesOf(run_id))).toMatchObject([{ entry_type: 'run.cancelled' }])
  })
})
