import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Turn } from '../../daemon/runtime/adapters/adapter.ts'
import { codex } from '../../daemon/runtime/adapters/codex/index.ts'
import type { Ask } from '../../daemon/runtime/sidecar/control.ts'
import { startSidecar } from '../../daemon/runtime/sidecar/server.ts'
import type { SidecarConfig } from '../../daemon/runtime/types.ts'
import { agentFolders, fetchClient, readText, runLocally, spoken, survivors } from '../support/agent-client.ts'
import { leaveOut } from '../support/leave-out.ts'
import type { Script } from '../support/model-endpoint.ts'
import { type ResponsesBody, responsesEndpoint } from '../support/responses-endpoint.ts'

const { bin, missing } = fetchClient('codex')
leaveOut(missing)

const server = new URL('../fixtures/mcp/shout.mjs', import.meta.url).pathname
const key = 'muster-dummy-key-of-ada'
const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close()
})

/** An agent's folders, a sidecar that holds the real key, and the scripted model service behind it. */
async function scene(script: Script<ResponsesBody>, keys = ['sk-real']) {
  const endpoint = await responsesEndpoint(script, { keys })
  const { folders, remove } = agentFolders()
  open.push({ close: remove }, endpoint)
  const unanswered: Ask = () => ({ answer: Promise.resolve({ status: 503, body: {} }), hangUp: () => undefined })
  const sidecar = await startSidecar({ port: 0, isolated: false, report: () => undefined, ask: unanswered })
  open.push(sidecar)
  const credentials = [
    { credentialId: 'c', provider: 'OPENAI', kind: 'api_key' as const, token: 'sk-real', priority: 1 },
  ]
  sidecar.configure({
    network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
    agents: { [key]: { agentId: 'agent1', slug: 'ada', credentials } },
    upstreams: { OPENAI: endpoint.url },
  } satisfies SidecarConfig)
  const turn: Turn = {
    runId: randomUUID(),
    crewId: 'crew1',
    chatId: 'chat1',
    agent: { id: 'agent1', slug: 'ada' },
    folders,
    model: 'gpt-5',
    systemPrompt: 'You are Ada, a test.',
    toolProfile: 'CODING',
    cliTools: null,
    mcpConfigs: [],
    maxTurns: 0,
    unattended: false,
    prompt: 'Please begin.',
    access: { via: 'sidecar', key, origin: `http://127.0.0.1:${sidecar.port}` },
    proxy: `http://127.0.0.1:${sidecar.port}`,
    env: {},
    session: null,
    retries: 1,
  }
  const run = (change: Partial<Turn> = {}, options: Partial<Parameters<typeof runLocally>[2]> = {}) =>
    runLocally(codex, { ...turn, ...change }, { bin: bin!, ...options })
  return { endpoint, folders, run, runId: turn.runId }
}

/** A command as the model asks for it. */
const shell = (cmd: string) => ({ name: 'exec_command', input: { cmd } })
/** All that the model service was told in one request. */
const told = (body: ResponsesBody | undefined): string => JSON.stringify(body?.input)

describe.skipIf(missing)('codex from the npm registry', { timeout: 60_000 }, () => {
  it('answers a turn with text, through the sidecar that puts the real key in', async () => {
    const { endpoint, folders, run } = await scene([{ text: ['Hello', ' there.'], usage: { input: 30, output: 5 } }])
    const { frames, verdict } = await run()
    expect(frames.map(({ type }) => type).filter((type) => type !== 'system')).toEqual(['text', 'result'])
    expect(spoken(frames)).toBe('Hello there.')
    expect(verdict).toMatchObject({
      status: 'completed',
      kind: null,
      exit_code: 0,
      metadata: { model: 'gpt-5', input_tokens: 30, output_tokens: 5 },
    })
    const [asked] = endpoint.messages
    expect(asked?.model).toBe('gpt-5')
    expect(told(asked)).toContain('You are Ada, a test.')
    expect(told(asked)).toContain('Please begin.')
    expect(endpoint.requests.map((it) => [it.method, it.path, it.key])).toEqual(
      Array(endpoint.requests.length).fill(['POST', '/v1/responses', 'sk-real']),
    )
    expect(readText(folders.run, 'in')).toBe('Please begin.')
  })

  it('runs a tool that writes a file, without a sandbox of its own', async () => {
    const { endpoint, folders, run } = await scene([
      { text: 'I write it.', tools: [shell('echo "$SVC_AGENT_ID was here" | tee note.txt')] },
      { text: 'Done.' },
    ])
    const { frames, verdict } = await run()
    expect(verdict).toMatchObject({ status: 'completed', kind: null })
    expect(readText(folders.cwd, 'note.txt')).toBe('agent1 was here\n')
    expect(frames.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
      { type: 'tool_call', content: 'shell' },
      { type: 'tool_result', content: 'agent1 was here\n', metadata: { exit_code: 0, status: 'completed' } },
    ])
    expect(told(endpoint.messages[1])).toContain('agent1 was here')
  })

  it('works in all folders of its own and of its crew', async () => {
    const { folders, run } = await scene((_, n) => {
      const at = [folders.scratch, folders.shared][n]
      return at ? { tools: [shell(`echo run > ${at}/b.txt`)] } : { text: 'Done.' }
    })
    expect((await run()).verdict).toMatchObject({ status: 'completed', kind: null })
    for (const at of [folders.scratch, folders.shared]) expect(readText(at, 'b.txt')).toBe('run\n')
  })

  it('offers a search of the web only where the tools have one, and nothing of the vendor besides', async () => {
    const { endpoint, run } = await scene([{ text: 'Hello.' }])
    await run()
    await run({ cliTools: 'Bash,Read' })
    const offered = endpoint.messages.map(({ tools = [] }) => tools.map(({ type, name }) => name ?? type))
    expect(offered[0]).toContain('web_search')
    expect(offered[1]).toContain('exec_command')
    expect(offered[1]).not.toContain('web_search')
    expect(offered.flat().join()).not.toMatch(/browser|computer|image_generation|spawn_agent|apps/)
  })

  it('fails with a bad key, without asking for long', async () => {
    const { endpoint, run, runId } = await scene([{ text: 'never' }], ['another key'])
    const { frames, verdict } = await run()
    expect(verdict).toMatchObject({
      status: 'failed',
      kind: 'bad_key',
      reason: expect.stringMatching(/^The model service refused the key/),
    })
    expect(spoken(frames)).toBe('')
    expect(endpoint.requests.length).toBeLessThanOrEqual(3)
    expect(survivors(runId)).toEqual([])
  })

  it.each([
    [503, 'overloaded'],
    [500, 'overloaded'],
    [429, 'quota'],
    [404, 'unknown_model'],
  ])('tells what a %i of the model service means: %s', async (status, kind) => {
    const { run } = await scene([{ status }])
    expect((await run()).verdict).toMatchObject({ status: 'failed', kind })
  })

  it('gets over a moment of overload', async () => {
    const { run } = await scene([{ status: 503 }, { text: 'Back.' }])
    const { frames, verdict } = await run({ retries: 3 })
    expect(spoken(frames)).toBe('Back.')
    expect(verdict).toMatchObject({ status: 'completed', kind: null })
  })

  it('is cancelled half-way, and nothing of it is left', async () => {
    const { endpoint, run, runId } = await scene([
      { text: 'Working on it', tools: [shell('true')] },
      { text: 'More', hangs: true },
    ])
    const asked = () => endpoint.messages.length > 1
    const { verdict } = await run(
      {},
      { onFrame: (frame, end) => frame.type === 'tool_result' && void vi.waitUntil(asked, 10_000).then(() => end()) },
    )
    expect(verdict.status).toBe('cancelled')
    await endpoint.until(() => endpoint.requests.some(({ aborted }) => aborted))
    await vi.waitUntil(() => survivors(runId).length === 0)
  })

  it('is cancelled while a command runs, which carries the mark of the run', async () => {
    const { folders, run, runId } = await scene([
      { tools: [shell('echo $SVC_RUN_ID > mark; sleep 300')] },
      { text: 'never' },
    ])
    const started = () => existsSync(join(folders.cwd, 'mark'))
    const { verdict } = await run(
      {},
      { onFrame: (frame, end) => frame.type === 'tool_call' && void vi.waitUntil(started, 10_000).then(() => end()) },
    )
    expect(verdict.status).toBe('cancelled')
    expect(readText(folders.cwd, 'mark').trim()).toBe(runId)
    await vi.waitUntil(() => survivors(runId).length === 0)
  })

  it('is ended when it calls the same tool over and over', async () => {
    const { run } = await scene([{ tools: [shell('echo again')] }])
    expect((await run()).verdict).toMatchObject({ status: 'failed', kind: 'tool_loop' })
  })

  it('uses a tool server, whose variables are those of the agent', async () => {
    const { run } = await scene([{ tools: [{ name: 'mcp__shout.shout', input: { words: 'hey' } }] }, { text: 'Done.' }])
    const mcpServers = { shout: { command: process.execPath, args: [server], env: { MARK: '$MARK_OF_AGENT' } } }
    const { frames } = await run({ mcpConfigs: [JSON.stringify({ mcpServers })], env: { MARK_OF_AGENT: '!!' } })
    expect(frames.find(({ type }) => type === 'tool_call')).toMatchObject({
      metadata: { transport: 'mcp', mcp_server: 'shout', mcp_tool: 'shout' },
    })
    expect(frames.find(({ type }) => type === 'tool_result')).toMatchObject({ content: 'HEY !!' })
  })

  it('takes a prompt and a system prompt of more than 200 KB', async () => {
    const { endpoint, run } = await scene([{ text: 'Read.' }])
    const prompt = `start ${'word '.repeat(50_000)}end`
    const systemPrompt = `You are Ada. ${'rule '.repeat(50_000)}`
    expect((await run({ prompt, systemPrompt })).verdict.status).toBe('completed')
    expect(told(endpoint.messages[0])).toContain(prompt)
    expect(told(endpoint.messages[0])).toContain(systemPrompt)
  })

  it('goes on with its session, and counts only what is new', async () => {
    const { endpoint, folders, run } = await scene([{ text: 'First.' }, { text: 'Second.' }])
    const folder = `${folders.run}/client`
    const first = await run({ session: { id: randomUUID(), resume: false, folder } })
    const id = String(first.verdict.metadata['session_id'])
    const second = await run({ session: { id, resume: true, folder }, prompt: 'And then?' })
    expect(second.verdict.metadata['session_id']).toBe(id)
    for (const text of ['Please begin.', 'First.', 'And then?']) expect(told(endpoint.messages[1])).toContain(text)
    expect(first.verdict.metadata).toMatchObject({ input_tokens: 12, output_tokens: 7 })
    // Read on its own, the client's count is that of the session.
    expect(second.verdict.metadata).toMatchObject({ input_tokens: 24, output_tokens: 14 })
  })

  it('tells when its session is gone', async () => {
    const { folders, run } = await scene([{ text: 'Hello.' }])
    const session = { id: randomUUID(), resume: true, folder: `${folders.run}/client` }
    expect((await run({ session })).verdict).toMatchObject({ status: 'failed', kind: 'resume_missing' })
  })

  it('does not let the agent say its key, and has no other', async () => {
    const { run } = await scene([
      { text: `My key is ${key}.`, tools: [shell('env; env | base64; cat "$CODEX_HOME/config.toml"')] },
      { text: 'x' },
    ])
    const { frames } = await run({ env: { OPENAI_API_KEY: 'sk-other' } })
    expect(spoken(frames)).toContain('My key is [redacted].')
    expect(JSON.stringify(frames)).not.toMatch(/dummy-key|bXVzdGVyLWR1bW|sk-real|sk-other/)
  })
})
