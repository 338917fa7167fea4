import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'

// A model server on the loopback of the daemon's machine, and a crew in a real container that works with it.

leaveOut(engineMissing)

const key = 'sk-ant-api03-relay-e2e'
let model: ModelEndpoint
let daemon: Installation
let agentId: string
let installation: string
let holding = Promise.resolve()

const script = (body: { messages: unknown[] }) => {
  const asked = JSON.stringify(body.messages)
  if (asked.includes('Take your time.'))
    return { text: ['One, ', 'two.'], pace: (n: number) => (n ? holding : undefined) }
  return { text: 'Hello from loopback.' }
}
const serve = (port = 0) => modelEndpoint(script, { host: '127.0.0.1', port, keys: [key] })

describe.skipIf(engineMissing)('a model server on the loopback of the daemon’s machine', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    model = await serve()
    daemon = await install({ SVC_CONTAINER_PREFIX: 'muster-relay', SVC_ANTHROPIC_URL: model.url })
    const { client } = daemon
    const crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
    agentId = (await client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
    const credential = { name: 'main', value: key, type: 'API_KEY', provider: 'ANTHROPIC' } as const
    const { id } = await client.credentials.create({ body: credential })
    await client.credentials.assign({ agentId, body: { credential_id: id, env_var_name: 'ANTHROPIC_API_KEY' } })
    await client.crews.start({ crewId })
    installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
  })
  afterAll(async () => {
    await daemon?.remove()
    await model?.close()
    if (installation) await removeInstallation(installation)
  })

  it('answers the agents of a crew in a container', async () => {
    const { frames, run } = await daemon.turn(agentId, 'Say hello.')
    expect(run).toMatchObject({ status: 'COMPLETED', error_message: null })
    expect(spoken(frames)).toBe('Hello from loopback.')
    expect(model.requests.at(-1)).toMatchObject({ key, headers: { host: new URL(model.url).host } })
  })

  it('streams: what it says arrives before its answer is complete', async () => {
    let release = () => {}
    holding = new Promise((resolve) => {
      release = resolve
    })
    const heard: string[] = []
    const { run, answer } = await daemon.turn(agentId, 'Take your time.', (frame) => {
      if (frame.type !== 'text') return
      heard.push(frame.content)
      release()
    })
    expect(heard[0]).toBe('One, ')
    expect(run.status).toBe('COMPLETED')
    expect(answer?.content).toBe('One, two.')
  })

  it('answers after the daemon was killed and started again', async () => {
    await daemon.kill()
    await daemon.start()
    expect((await daemon.turn(agentId, 'Say hello.')).answer?.content).toBe('Hello from loopback.')
  })

  it('answers a run that goes on while the daemon is started again', async () => {
    const seen = model.messages.length
    holding = new Promise(() => {})
    const runId = await daemon.say(await daemon.openChat(agentId), 'Take your time.')
    await model.until(() => model.messages.length > seen)
    holding = Promise.resolve()
    await daemon.kill()
    await daemon.start()
    const status = async () => (await daemon.client.runs.show({ runId })).status
    await expect.poll(status, { timeout: 120_000 }).toBe('COMPLETED')
  })

  it('fails a run with a sentence of its own when nobody listens there, and answers when it is back', async () => {
    const { port, host } = new URL(model.url)
    await model.close()
    const { run, entries } = await daemon.turn(agentId, 'Say hello.')
    expect(run).toMatchObject({
      status: 'FAILED',
      error_message: `The upstream ${host} cannot be reached: nobody listens on port ${port}.`,
    })
    expect(endsIn(entries)).toMatchObject([{ payload: { metadata: { error_kind: 'upstream' } } }])
    model = await serve(Number(port))
    expect((await daemon.turn(agentId, 'Say hello.')).answer?.content).toBe('Hello from loopback.')
  })
})
