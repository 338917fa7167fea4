import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentProcesses, bridgeAddress, containerOf, engineMissing, removeInstallation } from '../support/engine.ts'
import { endsIn, type Installation, install, spoken } from '../support/installation.ts'
import { leaveOut } from '../support/leave-out.ts'
import type { ModelEndpoint, ScriptedTurn } from '../support/model-endpoint.ts'
import { type ResponsesBody, responsesEndpoint } from '../support/responses-endpoint.ts'

const host = await bridgeAddress()
const missing = engineMissing || clientMissing() || (host ? false : 'the Docker engine is on another machine')
leaveOut(missing)

function clientMissing(): string | false {
  try {
    execFileSync('docker', ['run', '--rm', '--entrypoint', 'codex', 'muster/crew:local', '--version'], {
      stdio: 'pipe',
    })
    return false
  } catch {
    return 'muster/crew:local has no codex. Build it with scripts/build-images.sh --with claude,codex'
  }
}

const keys = { good: 'sk-proj-good-7f3a91c2d4', bad: 'sk-proj-bad-5b8e20aa17' }
const shell = (cmd: string): ScriptedTurn => ({
  text: 'I use a tool.',
  tools: [{ name: 'exec_command', input: { cmd } }],
})

/** What the model says to what a person sent last, and how often it was asked since. */
const script = ({ input }: ResponsesBody): ScriptedTurn => {
  const at = input.findLastIndex(({ role, content }) => role === 'user' && !content?.[0]?.text?.startsWith('<'))
  const said = input[at]?.content?.map(({ text }) => text).join('') ?? ''
  const steps = input.slice(at).filter(({ type }) => type === 'function_call_output').length
  if (said.includes('Write it down.')) return steps ? { text: 'Done.' } : shell('echo "by $SVC_AGENT_ID" > note.txt')
  if (said.includes('Work long.')) return steps ? { text: 'never' } : shell('setsid sleep 301 & sleep 302')
  if (said.includes('Look around.'))
    return steps ? { text: 'Done.' } : shell('env; cat "$CODEX_HOME"/*; ls -la /secrets')
  if (said.includes('Ask me.'))
    return steps
      ? { text: 'I wait.' }
      : { tools: [{ name: 'mcp__muster.ask_human', input: { question: 'Postgres or SQLite?' } }] }
  if (said.includes('SQLite'))
    return { text: `Then SQLite; before, you said ${JSON.stringify(input).includes('Ask me.')}.` }
  return { text: 'Hello.' }
}

describe.skipIf(missing)('codex in the container of a crew', { timeout: 120_000 }, () => {
  let model: ModelEndpoint<ResponsesBody>
  let daemon: Installation
  let crewId: string
  let installation = ''
  const agents: Record<string, string> = {}

  beforeAll(async () => {
    model = await responsesEndpoint(script, { host: host!, keys: [keys.good] })
    daemon = await install({ SVC_CONTAINER_PREFIX: 'muster-codex', SVC_OPENAI_URL: model.url })
    const { client } = daemon
    crewId = (await client.crews.create({ body: { name: 'Works', slug: 'works' } })).id
    for (const [slug, value] of Object.entries({ ada: keys.good, cyd: keys.bad })) {
      const body = { name: slug, slug, crew_id: crewId, cli_adapter: 'CODEX_CLI' as const, llm_model: 'gpt-5' }
      agents[slug] = (await client.agents.create({ body })).id
      const { id } = await client.credentials.create({
        body: { name: slug, value, type: 'API_KEY', provider: 'OPENAI' },
      })
      await client.credentials.assign({
        agentId: agents[slug],
        body: { credential_id: id, env_var_name: 'OPENAI_API_KEY' },
      })
    }
    await client.crews.start({ crewId })
    installation = (await (await containerOf(crewId)).inspect()).Config.Labels['svc.installation']!
  })
  afterAll(async () => {
    await daemon?.remove()
    await model?.close()
    if (installation) await removeInstallation(installation)
  })

  it('answers a turn with text', async () => {
    const { frames, run, answer } = await daemon.turn(agents['ada']!, 'Say hello.')
    expect(spoken(frames)).toBe('Hello.')
    expect(answer).toMatchObject({ role: 'assistant', content: 'Hello.' })
    expect(run).toMatchObject({ status: 'COMPLETED', exit_code: 0, error_message: null })
  })

  it('runs a tool, and the file that it wrote is served', async () => {
    const { run, answer } = await daemon.turn(agents['ada']!, 'Write it down.')
    expect(run.status).toBe('COMPLETED')
    expect(answer).toMatchObject({ tool_summary: 'shell', content: 'I use a tool.\n\nDone.' })
    expect(await daemon.download(agents['ada']!, 'note.txt')).toBe(`by ${agents['ada']}\n`)
  })

  it('fails with a refused key, and says so', async () => {
    const { run, entries } = await daemon.turn(agents['cyd']!, 'Try it.')
    const reason = expect.stringMatching(/^The model service refused the key/)
    expect(run).toMatchObject({ status: 'FAILED', error_message: reason })
    expect(endsIn(entries)).toMatchObject([
      { entry_type: 'run.failed', payload: { metadata: { error_kind: 'bad_key' } } },
    ])
  })

  it('is cancelled with all that its commands left running', async () => {
    const { run } = await daemon.turn(agents['ada']!, 'Work long.', async (frame, { chatId }) => {
      if (frame.type === 'tool_call') await daemon.client.chats.cancel({ chatId })
    })
    expect(run).toMatchObject({ status: 'CANCELLED' })
    expect(await agentProcesses(await containerOf(crewId))).toEqual([])
  })

  it('never sees the real key', async () => {
    const { run } = await daemon.turn(agents['ada']!, 'Look around.')
    expect(run.status).toBe('COMPLETED')
    expect(JSON.stringify(model.messages.at(-1))).toContain('CODEX_HOME')
    expect(JSON.stringify(model.messages)).not.toContain(keys.good)
  })

  it('asks a person by the tool of Muster, and goes on with its own session when it is answered', async () => {
    const chatId = await daemon.openChat(agents['ada']!)
    const runId = await daemon.say(chatId, 'Ask me.')
    const card = async () => (await daemon.client.inbox.list({ query: { kind: 'run_needs_human' } })).rows[0]
    await expect.poll(card, { timeout: 60_000 }).toBeDefined()
    const item = (await card())!
    expect(JSON.stringify(item)).toContain('Postgres or SQLite?')
    await daemon.client.inbox.act({ itemId: item.id, body: { action: 'answer', input: 'SQLite' } })
    const status = async () => (await daemon.client.runs.show({ runId })).status
    await expect.poll(status, { timeout: 60_000 }).toBe('COMPLETED')
    expect((await daemon.messagesOf(chatId)).at(-1)).toMatchObject({ content: 'Then SQLite; before, you said true.' })
    expect(await agentProcesses(await containerOf(crewId))).toEqual([])
  })
})
