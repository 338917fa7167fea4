import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deferred } from '../support/deferred.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { type Installation, install } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

const host = await bridgeAddress()
const missing = engineMissing || (host ? false : 'the Docker engine is on another machine')
leaveOut(missing)

/** What the model answers to each request of a turn; it takes its time for some. */
type Steps = (() => ScriptedTurn | Promise<ScriptedTurn>)[]

describe.skipIf(missing)('what is said to an agent at work in a container', { timeout: 400_000 }, () => {
  let model: ModelEndpoint
  let daemon: Installation
  let agentId: string
  let installation = ''
  let steps: Steps = []

  beforeAll(async () => {
    model = await modelEndpoint(() => steps.shift()?.() ?? { text: 'Done.' }, { host: host! })
    daemon = await install({
      SVC_CONTAINER_PREFIX: 'muster-steering',
      SVC_ANTHROPIC_URL: model.url,
      SVC_ALLOW_PRIVATE_ENDPOINTS: 'true',
    })
    const { client: api } = daemon
    const crewId = (await api.crews.create({ body: { name: 'Works', slug: 'works' } })).id
    const key = { name: 'key', value: 'sk-ant-api03-steering', type: 'API_KEY', provider: 'ANTHROPIC' } as const
    await api.credentials.create({ body: key })
    agentId = (await api.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
    await api.crews.start({ crewId })
    installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
  })
  afterAll(async () => {
    await daemon?.remove()
    await model?.close()
    if (installation) await removeInstallation(installation)
  })

  const tool = (command: string): ScriptedTurn => ({ tools: [{ name: 'Bash', input: { command } }] })
  const heard = (text: string) => model.messages.map((body) => JSON.stringify(body).split(text).length - 1)
  const statusOf = async (runId: string) => (await daemon.client.runs.show({ runId })).status
  const steer = (chatId: string, message: string) =>
    daemon.client.chats.steer({ chatId, body: { message, begin: true } })

  /** A run whose model waits before its first answer. */
  async function begun(after: Steps) {
    const first = deferred()
    steps = [() => first.promise.then(() => tool('echo one')), ...after]
    const from = model.messages.length
    const chatId = await daemon.openChat(agentId)
    const runId = await daemon.say(chatId, 'Work.')
    await model.until(() => model.messages.length > from)
    return { chatId, runId, from, go: first.resolve }
  }

  it('is in the next request of the same turn, on record, and begins no turn of its own', async () => {
    const { chatId, runId, from, go } = await begun([])
    const { message_id, delivery } = await steer(chatId, 'Use SQLite.')
    expect(delivery).toBe('pending')
    go()
    await expect.poll(() => statusOf(runId), { timeout: 60_000 }).toBe('COMPLETED')
    expect(heard('Ada Lovelace says, while you work:\\n> Use SQLite.').slice(from)).toEqual([0, 1])
    const entries = await daemon.entriesOf(runId)
    const taken = entries.filter(({ entry_type }) => entry_type === 'run.note_taken')
    expect(taken).toMatchObject([{ payload: { kind: 'steer', chat_id: chatId, message_id } }])
    expect(await daemon.messagesOf(chatId)).toMatchObject([
      { content: 'Work.' },
      { content: 'Use SQLite.', metadata: { delivery: 'delivered' } },
      { role: 'assistant', content: 'Done.' },
    ])
    const next = await daemon.say(chatId, 'And now?')
    await expect.poll(() => statusOf(next), { timeout: 60_000 }).toBe('COMPLETED')
    expect(heard('Use SQLite.').slice(from)).toEqual([0, 1, 1])
    expect((await daemon.client.runs.list({ query: {} })).data).toHaveLength(2)
  })

  it('outlives a daemon that is killed before the agent has it', async () => {
    const second = deferred()
    const { chatId, runId, from, go } = await begun([() => second.promise.then(() => tool('echo two'))])
    await steer(chatId, 'Use Postgres.')
    await daemon.kill()
    go()
    await model.until(() => model.messages.length > from + 1)
    await daemon.start()
    second.resolve()
    await expect.poll(() => statusOf(runId), { timeout: 60_000 }).toBe('COMPLETED')
    expect(heard('Use Postgres.').slice(from)).toEqual([0, 0, 1])
    expect(await daemon.messagesOf(chatId)).toMatchObject([{}, { metadata: { delivery: 'delivered' } }, {}])
  })

  it('has a turn of its own when the agent takes no other step', async () => {
    const answer = deferred()
    steps = [() => answer.promise.then(() => ({ text: 'Done already.' }))]
    const from = model.messages.length
    const chatId = await daemon.openChat(agentId)
    const runId = await daemon.say(chatId, 'Work.')
    await model.until(() => model.messages.length > from)
    await steer(chatId, 'Use files.')
    answer.resolve()
    await expect.poll(() => statusOf(runId), { timeout: 60_000 }).toBe('COMPLETED')
    await model.until(() => model.messages.length > from + 1)
    expect(heard('Use files.').slice(from)).toEqual([0, 1])
    const contents = async () => (await daemon.messagesOf(chatId)).map(({ content }) => content)
    await expect.poll(contents, { timeout: 60_000 }).toEqual(['Work.', 'Done already.', 'Use files.', 'Done.'])
  })
})
