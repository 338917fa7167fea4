import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli } from '../support/cli.ts'
import { bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { filesWith, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type MessagesBody, type ModelEndpoint, modelEndpoint, type ScriptedTurn } from '../support/model-endpoint.ts'

// An agent with the vendor's own client, in a container, asks people with the tool that Muster gives it.

const host = await bridgeAddress()
const missing =
  engineMissing ||
  (host ? false : 'the Docker engine is on another machine, where containers cannot reach the scripted model')
leaveOut(missing)

const key = 'sk-ant-api03-escalating-7f3a91c2d4'
const offered = 'ghp_found_by_the_agent_20af'

type Script = (step: number, last: string) => ScriptedTurn
const scripts = new Map<string, Script>()

const textsOf = (content: MessagesBody['messages'][number]['content']): string =>
  typeof content === 'string' ? content : JSON.stringify(content)
const promptOf = ({ messages }: MessagesBody): string => textsOf(messages.find(({ role }) => role === 'user')!.content)
const escalate = (input: Record<string, unknown>): ScriptedTurn => ({
  text: 'I ask.',
  tools: [{ name: 'mcp__muster__escalate', input }],
})

let model: ModelEndpoint
let daemon: Installation
let crewId: string
let agentId: string
let installation: string
let person: Record<string, string>

beforeAll(async () => {
  model = await modelEndpoint(
    (body) => {
      const script = [...scripts].find(([prompt]) => promptOf(body).includes(prompt))?.[1]
      return (
        script?.(
          body.messages.filter(({ role }) => role === 'assistant').length,
          textsOf(body.messages.at(-1)!.content),
        ) ?? { text: 'Hello.' }
      )
    },
    { host: host!, keys: [key] },
  )
  daemon = await install({
    SVC_CONTAINER_PREFIX: 'muster-escalation',
    SVC_ANTHROPIC_URL: model.url,
    SVC_CONTAINER_MEMORY_MB: '2048',
  })
  const { client, connection } = daemon
  crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
  agentId = (await client.agents.create({ body: { name: 'Ada', slug: 'ada', crew_id: crewId } })).id
  const credential = await client.credentials.create({
    body: { name: 'model', value: key, type: 'API_KEY', provider: 'ANTHROPIC' },
  })
  await client.credentials.assign({
    agentId,
    body: { credential_id: credential.id, env_var_name: 'ANTHROPIC_API_KEY' },
  })
  await client.crews.start({ crewId })
  installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
  person = {
    SVC_DATA_DIR: daemon.dataDir,
    SVC_TOKEN: (await client.tokens.create({ body: { name: 'terminal' } })).token,
    SVC_WORKSPACE: connection.workspace!,
  }
})

afterAll(async () => {
  await daemon?.remove()
  await model?.close()
  if (installation) await removeInstallation(installation)
})

/** The one open question, as soon as there is one. */
async function question(): Promise<string> {
  const open = async () => (await daemon.client.escalations.list({ crewId, query: { status: 'PENDING' } }))[0]?.id
  await expect.poll(open, { timeout: 60_000 }).toBeTruthy()
  return (await open())!
}

describe.skipIf(missing)('an agent that needs a person', () => {
  it('asks with its tool, is answered at a terminal, and goes on in the same run', async () => {
    scripts.set('Clean up.', (step, last) =>
      step === 0
        ? escalate({ reason: 'May I delete the cache?', context: 'It has **4 GB**.' })
        : { text: `Heard: ${last}` },
    )
    const turn = daemon.turn(agentId, 'Clean up.')
    const id = await question()
    const muster = cli(person)
    const shown = muster.terminal(['inbox', 'show', `ibx_escalation_${id}`])
    expect(await shown.ended).toBe(0)
    expect(shown.text()).toContain('May I delete the cache?')
    const answering = muster.terminal(['escalations', 'resolve', id, '--resolution', 'Yes, all of it'])
    expect(await answering.ended).toBe(0)
    expect(answering.text()).toContain('Approved. The agent goes on.')
    const { frames, run, entries, runId } = await turn
    expect(run).toMatchObject({ status: 'COMPLETED' })
    expect(run.mcp_server_errors ?? []).toEqual([])
    expect(spoken(frames)).toMatch(/Heard: .*Yes, all of it/)
    expect(frames.filter(({ type }) => type === 'tool_call')).toMatchObject([
      { metadata: { mcp_server: 'muster', mcp_tool: 'escalate' } },
    ])
    expect(
      entries
        .filter(({ entry_type }) => entry_type === 'peer.escalation')
        .map(({ payload, trace_id }) => [payload?.['state'], trace_id]),
    ).toEqual([
      ['pending', runId],
      ['resolved', runId],
    ])
    expect((await daemon.client.inbox.show({ itemId: `ibx_escalation_${id}` })).resolved_action).toBe('approve')
  })

  it('waits through a daemon that is killed: one question, and the answer of the next daemon', async () => {
    scripts.set('Wait for me.', (step, last) =>
      step === 0 ? escalate({ reason: 'Still there?' }) : { text: `Heard: ${last}` },
    )
    const chatId = await daemon.openChat(agentId)
    const runId = await daemon.say(chatId, 'Wait for me.')
    const id = await question()
    await daemon.kill()
    await daemon.start()
    expect(await question()).toBe(id)
    const answering = cli(person).terminal([
      'escalations',
      'resolve',
      id,
      '--action',
      'reject',
      '--resolution',
      'Not today',
    ])
    expect(await answering.ended).toBe(0)
    await expect
      .poll(async () => (await daemon.client.runs.show({ runId })).status, { timeout: 60_000 })
      .toBe('COMPLETED')
    const messages = await daemon.messagesOf(chatId)
    expect(messages.at(-1)!.content).toMatch(/Heard: .*reject.*/)
    expect((await daemon.entriesOf(runId)).filter(({ entry_type }) => entry_type === 'peer.escalation')).toHaveLength(2)
  })

  it('hands a secret to the vault, and nothing that Muster keeps or says shows it', async () => {
    const metadata = { name: 'deploy', type: 'SECRET', provider: 'GITHUB', value: offered }
    scripts.set('Keep it safe.', (step) =>
      step === 0 ? escalate({ reason: 'I made a token', type: 'CREDENTIAL', metadata }) : { text: 'Kept.' },
    )
    const turn = daemon.turn(agentId, 'Keep it safe.')
    const id = await question()
    const answering = cli(person).terminal(['escalations', 'resolve', id, '--resolution', 'Fine'])
    expect(await answering.ended).toBe(0)
    expect((await turn).run.status).toBe('COMPLETED')
    expect(
      (await daemon.client.credentials.assigned({ agentId })).find(
        ({ credential_name }) => credential_name === 'deploy',
      ),
    ).toMatchObject({
      credential_status: 'ACTIVE',
      env_var_name: 'DEPLOY',
    })
    expect(daemon.said.join('\n')).not.toContain(offered)
    expect(filesWith(daemon.dataDir, [offered])).toEqual([])
  })
})
