import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Turn } from '../../daemon/runtime/adapters/adapter.ts'
import { claudeCode } from '../../daemon/runtime/adapters/claude-code/index.ts'
import type { Ask } from '../../daemon/runtime/sidecar/control.ts'
import { startSidecar } from '../../daemon/runtime/sidecar/server.ts'
import type { SidecarConfig } from '../../daemon/runtime/types.ts'
import {
  agentFolders,
  fetchClient,
  gitThatRuns,
  readText,
  runLocally,
  spoken,
  survivors,
} from '../support/agent-client.ts'
import { leaveOut } from '../support/leave-out.ts'
import { type ModelEndpoint, modelEndpoint, type Script } from '../support/model-endpoint.ts'
import { isTaught } from '../support/taught.ts'
import { waitingNotes } from '../support/waiting-notes.ts'

const { bin, missing } = fetchClient('claude')
leaveOut(missing)

const server = new URL('../fixtures/mcp/shout.mjs', import.meta.url).pathname
const key = 'muster-dummy-key-of-ada'
const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close()
})

async function scene(script: Script, keys?: string[]) {
  const endpoint: ModelEndpoint = await modelEndpoint(script, keys ? { keys } : {})
  const { folders, remove } = agentFolders()
  open.push({ close: remove }, endpoint)
  const turn: Turn = {
    runId: randomUUID(),
    crewId: 'crew1',
    chatId: 'chat1',
    agent: { id: 'agent1', slug: 'ada' },
    folders,
    provider: 'ANTHROPIC',
    model: null,
    systemPrompt: 'You are Ada, a test.',
    toolProfile: 'CODING',
    cliTools: null,
    mcpConfigs: [],
    maxTurns: 0,
    unattended: false,
    prompt: 'Please begin.',
    access: { via: 'sidecar', key, origin: endpoint.url },
    // Nothing listens there: the way to the sidecar itself must not lead over its own proxy.
    proxy: 'http://127.0.0.1:9',
    env: {},
    session: null,
  }
  const run = (change: Partial<Turn> = {}, options: Partial<Parameters<typeof runLocally>[2]> = {}) =>
    runLocally(claudeCode, { ...turn, ...change }, { bin: bin!, ...options })
  return { endpoint, folders, run, runId: turn.runId }
}

/** The text blocks of a message as the model service got it. */
const texts = (content: string | { text?: string }[]) =>
  typeof content === 'string' ? [content] : content.map(({ text }) => text ?? '')

/** A sidecar that leads to the model service, and to a daemon that has notes for the agent. */
async function withNotes(url: string, notes = waitingNotes()) {
  const sidecar = await startSidecar({ port: 0, isolated: false, report: () => undefined, ask: notes.ask })
  open.push(sidecar)
  const credentials = [
    { credentialId: 'c', provider: 'ANTHROPIC', kind: 'api_key' as const, token: 'sk-real', priority: 1 },
  ]
  sidecar.configure({
    network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
    agents: { [key]: { agentId: 'agent1', slug: 'ada', credentials } },
    upstreams: { ANTHROPIC: url },
  } satisfies SidecarConfig)
  const origin = `http://127.0.0.1:${sidecar.port}`
  return { notes, turn: { access: { via: 'sidecar', key, origin }, proxy: origin } satisfies Partial<Turn> }
}

describe.skipIf(missing)('claude from the npm registry', { timeout: 60_000 }, () => {
  it('is taught skills, whose scripts run, and none that were taken from it', () =>
    isTaught({
      scene,
      shell: (command) => ({ name: 'Bash', input: { command } }),
      skill: { name: 'Skill', input: { skill: 'muster:greet' } },
    }))

  it('answers a turn with text', async () => {
    const { endpoint, folders, run } = await scene([
      { thinking: 'Hm.', text: ['Hello', ' there.'], usage: { input: 30, output: 5 } },
    ])
    const { frames, verdict } = await run({ model: 'claude-opus-4-8' })
    expect(frames.map(({ type }) => type)).toEqual(['system', 'thinking', 'text', 'text', 'result'])
    expect(spoken(frames)).toBe('Hello there.')
    expect(verdict).toMatchObject({
      status: 'completed',
      kind: null,
      exit_code: 0,
      metadata: {
        cli_version: '2.1.197',
        permission_mode: 'bypassPermissions',
        api_key_source: 'ANTHROPIC_API_KEY',
        input_tokens: 30,
        output_tokens: 5,
      },
    })
    const [asked] = endpoint.messages
    expect(asked).toMatchObject({ model: 'claude-opus-4-8', stream: true })
    expect(JSON.stringify(asked!.system)).toContain('You are Ada, a test.')
    expect(texts(asked!.messages[0]!.content).at(-1)).toBe('Please begin.')
    expect(endpoint.requests.find(({ method }) => method === 'POST')?.key).toBe(key)
    expect(frames[0]).toMatchObject({
      metadata: { subtype: 'init', tools: ['Bash', 'Edit', 'Glob', 'Grep', 'Read', 'WebFetch', 'WebSearch', 'Write'] },
    })
    expect(readText(folders.run, 'in')).toBe('Please begin.')
  })

  it('works through the sidecar, which lets through all that it needs and puts the real key in', async () => {
    const { endpoint, run } = await scene(
      [{ text: 'I look.', tools: [{ name: 'Bash', input: { command: 'echo seen' } }] }, { text: 'Done.' }],
      ['sk-real'],
    )
    const unanswered: Ask = () => ({ answer: Promise.resolve({ status: 503, body: {} }), hangUp: () => undefined })
    const sidecar = await startSidecar({ port: 0, isolated: false, report: () => undefined, ask: unanswered })
    open.push(sidecar)
    const credentials = [
      { credentialId: 'c', provider: 'ANTHROPIC', kind: 'api_key' as const, token: 'sk-real', priority: 1 },
    ]
    sidecar.configure({
      network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
      agents: { [key]: { agentId: 'agent1', slug: 'ada', credentials } },
      upstreams: { ANTHROPIC: endpoint.url },
    } satisfies SidecarConfig)
    const { frames, verdict } = await run({
      access: { via: 'sidecar', key, origin: `http://127.0.0.1:${sidecar.port}` },
    })
    expect(verdict).toMatchObject({ status: 'completed', kind: null })
    expect(spoken(frames)).toContain('Done.')
    expect(endpoint.requests.map((it) => [it.method, it.path, it.key])).toEqual(
      Array(endpoint.requests.length).fill(['POST', '/v1/messages', 'sk-real']),
    )
    expect(endpoint.requests[0]!.headers).toMatchObject({
      'anthropic-beta': expect.stringContaining('claude-code-'),
      'x-app': 'cli',
    })
  })

  it.each<[string, credentials: boolean, kind: string, reason: RegExp]>([
    [
      'an upstream that is down',
      true,
      'upstream',
      /^The upstream 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED\)\.$/,
    ],
    [
      'a missing credential',
      false,
      'sidecar',
      /^There is no ANTHROPIC credential for the agent ada\. Next: .*agent\.$/,
    ],
  ])('tells a refusal of the sidecar as that, and once: %s', async (_, credentials, kind, reason) => {
    const { run } = await scene([])
    const unanswered: Ask = () => ({ answer: Promise.resolve({ status: 503, body: {} }), hangUp: () => undefined })
    const sidecar = await startSidecar({ port: 0, isolated: false, report: () => undefined, ask: unanswered })
    open.push(sidecar)
    const given = [
      { credentialId: 'c', provider: 'ANTHROPIC', kind: 'api_key' as const, token: 'sk-real', priority: 1 },
    ]
    sidecar.configure({
      network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
      agents: { [key]: { agentId: 'agent1', slug: 'ada', credentials: credentials ? given : [] } },
      upstreams: { ANTHROPIC: 'http://127.0.0.1:1' },
    } satisfies SidecarConfig)
    const { frames, verdict } = await run({
      retries: 1,
      access: { via: 'sidecar', key, origin: `http://127.0.0.1:${sidecar.port}` },
    })
    expect(verdict).toMatchObject({ status: 'failed', kind, reason: expect.stringMatching(reason) })
    expect(spoken(frames)).toBe('')
  })

  it('runs a tool that writes a file', async () => {
    const { endpoint, folders, run } = await scene([
      {
        text: 'I write it.',
        tools: [{ name: 'Bash', input: { command: 'echo "$SVC_AGENT_ID was here" | tee note.txt' } }],
      },
      { text: 'Done.' },
    ])
    const { frames, verdict } = await run()
    expect(verdict.status).toBe('completed')
    expect(readText(folders.cwd, 'note.txt')).toBe('agent1 was here\n')
    expect(frames.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
      { type: 'tool_call', content: 'Bash', metadata: { tool_id: 'toolu_0001_0' } },
      {
        type: 'tool_result',
        content: 'agent1 was here',
        metadata: { tool_id: 'toolu_0001_0', tool_use_id: 'toolu_0001_0' },
      },
    ])
    expect(JSON.stringify(endpoint.messages[1]!.messages)).toContain('agent1 was here')
  })

  it.each(['CODING', 'MINIMAL'] as const)('hears within its turn what is said to it meanwhile: %s', async (profile) => {
    const words = 'Grace says, while you work:\n> Use "SQLite" \\ and \ttabs: \u00e4 \u4f60 \u0007 $HOME `id` \'x\''
    const { endpoint, folders, run, runId } = await scene((_, n) => {
      if (n === 0) notes.leave(words)
      return n < 2 ? { tools: [{ name: 'Read', input: { file_path: join(folders.cwd, 'none') } }] } : { text: 'Done.' }
    })
    const { notes, turn } = await withNotes(endpoint.url)
    const { frames, verdict } = await run({ ...turn, toolProfile: profile })
    expect(verdict).toMatchObject({ status: 'completed', kind: null, metadata: { num_turns: 3 } })
    const told = endpoint.messages.map(({ messages }) => JSON.stringify(messages))
    const written = JSON.stringify(words).slice(1, -1)
    expect(told.map((text) => text.split(written).length - 1)).toEqual([0, 1, 1])
    expect(notes.taken).toEqual([words])
    expect(notes.asked).toEqual(['/notes', '/notes/taken', '/notes'].map((route) => ({ route, runId })))
    expect(JSON.stringify(frames)).not.toContain('while you work')
  })

  it('takes hooks from no folder', async () => {
    const { endpoint, folders, run } = await scene([
      { tools: [{ name: 'Bash', input: { command: 'true' } }] },
      { text: 'Done.' },
    ])
    const { turn } = await withNotes(endpoint.url)
    const hook = { type: 'command', command: `touch ${join(folders.shared, 'ran')}` }
    const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop']
    const settings = { hooks: Object.fromEntries(events.map((name) => [name, [{ hooks: [hook] }]])) }
    for (const at of [folders.cwd, folders.home]) {
      mkdirSync(join(at, '.claude'))
      for (const name of ['settings.json', 'settings.local.json'])
        writeFileSync(join(at, '.claude', name), JSON.stringify(settings))
    }
    expect((await run(turn)).verdict).toMatchObject({ status: 'completed', kind: null })
    expect(existsSync(join(folders.shared, 'ran'))).toBe(false)
  })

  /** A daemon that is asked whether calls may be made. */
  function holding(answer: (call: Record<string, unknown>) => Promise<Record<string, unknown>>) {
    const asked: Record<string, unknown>[] = []
    const ask: Ask = ({ route, body }) => {
      const said = async () => {
        if (route !== '/tool-calls') return { receipt: null, text: '' }
        asked.push(body as Record<string, unknown>)
        return answer(body as Record<string, unknown>)
      }
      return { answer: said().then((it) => ({ status: 200, body: it })), hangUp: () => undefined }
    }
    return { asked, notes: { ...waitingNotes(), ask } }
  }

  it('asks before each call, makes none that is stopped, and tells its agent why', async () => {
    const { endpoint, folders, run } = await scene((_, n) =>
      n < 2
        ? { tools: [{ name: 'Bash', input: { command: `touch ${join(folders.shared, ['bad', 'good'][n]!)}` } }] }
        : { text: 'Done.' },
    )
    const { asked, notes } = holding(async ({ input }) =>
      JSON.stringify(input).includes('bad') ? { stopped: 'Nobody may touch bad.' } : {},
    )
    const { turn } = await withNotes(endpoint.url, notes)
    const { frames, verdict } = await run({ ...turn, holdMs: 20_000 })
    expect(verdict).toMatchObject({ status: 'completed' })
    expect(['bad', 'good'].map((name) => existsSync(join(folders.shared, name)))).toEqual([false, true])
    const made = frames.flatMap((it) => (it.type === 'tool_call' ? [it.metadata.tool_id] : []))
    expect(asked.map(({ call_id, tool_name }) => [call_id, tool_name])).toEqual(made.map((id) => [id, 'Bash']))
    expect(JSON.stringify(endpoint.messages[1]!.messages)).toContain('Nobody may touch bad.')
  })

  it('makes a call about which nobody decides in time', async () => {
    const { endpoint, folders, run } = await scene((_, n) =>
      n < 1
        ? { tools: [{ name: 'Bash', input: { command: `touch ${join(folders.shared, 'made')}` } }] }
        : { text: 'Done.' },
    )
    const { asked, notes } = holding(() => new Promise(() => undefined))
    const { turn } = await withNotes(endpoint.url, notes)
    expect((await run({ ...turn, holdMs: 1000 })).verdict).toMatchObject({ status: 'completed', kind: null })
    expect(asked).toHaveLength(1)
    expect(existsSync(join(folders.shared, 'made'))).toBe(true)
  })

  it('works in all folders of its own and of its crew', async () => {
    const { folders, run } = await scene((_, n) => {
      const at = [folders.scratch, folders.shared][n]
      return at
        ? {
            tools: [
              { name: 'Write', input: { file_path: join(at, 'a.txt'), content: 'written' } },
              { name: 'Bash', input: { command: `echo run > ${at}/b.txt` } },
            ],
          }
        : { text: 'Done.' }
    })
    expect((await run()).verdict).toMatchObject({ status: 'completed', kind: null })
    for (const at of [folders.scratch, folders.shared])
      expect([readText(at, 'a.txt'), readText(at, 'b.txt')]).toEqual(['written', 'run\n'])
  })

  it('offers only the tools that profile and agent leave', async () => {
    const { endpoint, run } = await scene([{ text: 'Hello.' }])
    await run({ toolProfile: 'MINIMAL', cliTools: 'read, bash' })
    expect(endpoint.messages[0]!.tools?.map(({ name }) => name)).toEqual(['Read'])
    await run({ toolProfile: 'MINIMAL', cliTools: 'Bash' })
    expect(endpoint.messages[1]!.tools ?? []).toEqual([])
  })

  it.each([
    ['MINIMAL', null, false],
    ['CODING', 'Read,Write,Edit', false],
    ['CODING', null, true],
  ] as const)('with %s and %j has git run what the folder names: %s', async (toolProfile, cliTools, expected) => {
    const { folders, run } = await scene([{ text: 'Hello.' }])
    const seen = gitThatRuns(folders)
    expect((await run({ toolProfile, cliTools })).verdict.status).toBe('completed')
    expect(existsSync(seen)).toBe(expected)
  })

  it('fails with a bad key, after one more try', async () => {
    const { endpoint, run, runId } = await scene([{ text: 'never' }], ['another key'])
    const { frames, verdict } = await run()
    expect(verdict).toMatchObject({
      status: 'failed',
      kind: 'bad_key',
      reason: expect.stringMatching(/^The model service refused the key/),
    })
    expect(spoken(frames)).toBe('')
    expect(endpoint.messages).toEqual([])
    expect(endpoint.requests.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(3)
    expect(survivors(runId)).toEqual([])
  })

  it.each([
    [529, 'overloaded'],
    [429, 'quota'],
    [402, 'quota'],
    [404, 'unknown_model'],
  ])('tells what a %i of the model service means: %s', async (status, kind) => {
    const { run } = await scene([{ status }])
    expect((await run({ retries: 1 })).verdict).toMatchObject({ status: 'failed', kind })
  })

  it('gets over a moment of overload', async () => {
    const { run } = await scene([{ status: 529 }, { text: 'Back.' }])
    const { frames, verdict } = await run()
    expect(frames.map(({ type }) => type)).toEqual(['system', 'system', 'text', 'result'])
    expect(verdict.status).toBe('completed')
  })

  it('tells when nobody listens', async () => {
    const { run } = await scene([])
    expect(
      (await run({ retries: 1, access: { via: 'sidecar', key, origin: 'http://127.0.0.1:9' } })).verdict,
    ).toMatchObject({ kind: 'unreachable' })
  })

  it('is cancelled half-way, and nothing of it is left', async () => {
    const { endpoint, run, runId } = await scene([{ text: 'Working on it', hangs: true }])
    const { frames, verdict } = await run({}, { onFrame: (frame, end) => frame.type === 'text' && end() })
    expect(verdict).toMatchObject({ status: 'cancelled', exit_code: 143 })
    expect(spoken(frames)).toBe('Working on it')
    await endpoint.until(() => endpoint.requests.some(({ aborted }) => aborted))
    expect(survivors(runId)).toEqual([])
  })

  it('is cancelled while a command runs, which carries the mark of the run', async () => {
    const { folders, run, runId } = await scene([
      { tools: [{ name: 'Bash', input: { command: 'echo $SVC_RUN_ID > mark; sleep 300' } }] },
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

  it('stops at the turn cap', async () => {
    const { endpoint, run } = await scene((_, n) => ({ tools: [{ name: 'Bash', input: { command: `echo ${n}` } }] }))
    expect((await run({ maxTurns: 2 })).verdict).toMatchObject({ status: 'failed', kind: 'turn_cap' })
    expect(endpoint.messages).toHaveLength(2)
  })

  it('is ended when it calls the same tool over and over', async () => {
    const { endpoint, run } = await scene([{ tools: [{ name: 'Bash', input: { command: 'echo again' } }] }])
    expect((await run()).verdict).toMatchObject({ status: 'failed', kind: 'tool_loop' })
    expect(endpoint.messages.length).toBeLessThanOrEqual(6)
  })

  it('uses a tool server, and tells which did not come', async () => {
    const { run } = await scene([
      { tools: [{ name: 'mcp__shout__shout', input: { words: 'hey' } }] },
      { text: 'Done.' },
    ])
    const mcpServers = {
      shout: { command: process.execPath, args: [server], env: { MARK: '$MARK_OF_AGENT' } },
      gone: { command: '/does/not/exist' },
      odd: { x: 1 },
    }
    const { frames, verdict } = await run({
      mcpConfigs: [JSON.stringify({ mcpServers })],
      env: { MARK_OF_AGENT: '!!' },
    })
    expect(frames.find(({ type }) => type === 'tool_call')).toMatchObject({
      metadata: { transport: 'mcp', mcp_server: 'shout', mcp_tool: 'shout' },
    })
    expect(frames.find(({ type }) => type === 'tool_result')).toMatchObject({ content: 'HEY !!' })
    expect(verdict.metadata['mcp_server_errors']).toEqual([
      { name: 'gone', type: 'failed' },
      { name: 'odd', type: 'skipped' },
    ])
  })

  it('waits for a tool server that is slow to start', async () => {
    const { run } = await scene([
      { tools: [{ name: 'mcp__shout__shout', input: { words: 'hey' } }] },
      { text: 'Done.' },
    ])
    const mcpServers = {
      shout: { command: process.execPath, args: [server], env: { MARK: '!!', STARTS_AFTER_MS: '6000' } },
    }
    const { frames } = await run({ mcpConfigs: [JSON.stringify({ mcpServers })] })
    expect(frames.find(({ type }) => type === 'tool_result')).toMatchObject({ content: 'HEY !!' })
  })

  it('does not load tool servers that lie about in its folder', async () => {
    const { endpoint, folders, run } = await scene([
      {
        tools: [
          {
            name: 'Bash',
            input: {
              command:
                'cat > .mcp.json ' +
                `<<'X'\n{"mcpServers":{"s":{"command":"${process.execPath}","args":["${server}"]}}}\nX`,
            },
          },
        ],
      },
      { text: 'ok' },
    ])
    await run()
    expect(readText(folders.cwd, '.mcp.json')).toContain('mcpServers')
    await run()
    expect(endpoint.messages.at(-1)!.tools?.map(({ name }) => name)).not.toContain('mcp__s__shout')
  })

  it('fetches over the proxy of the crew, and asks nobody else', async () => {
    const asked: string[] = []
    const proxy = createServer((_, reply) => reply.writeHead(502).end())
    proxy.on('connect', ({ url }, socket) => {
      asked.push(url ?? '')
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
    await new Promise<void>((ready) => proxy.listen(0, '127.0.0.1', ready))
    open.push(proxy)
    const { run } = await scene([
      { tools: [{ name: 'WebFetch', input: { url: 'https://docs.example.com/', prompt: 'What is there?' } }] },
      { text: 'Nothing.' },
    ])
    const { frames, verdict } = await run({ proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` })
    expect([...new Set(asked)]).toEqual(['docs.example.com:443'])
    expect(frames.find(({ type }) => type === 'tool_result')).toMatchObject({ metadata: { is_error: true } })
    expect(verdict.status).toBe('completed')
  })

  it('takes a prompt and a system prompt of more than 200 KB', async () => {
    const { endpoint, run } = await scene([{ text: 'Read.' }])
    const prompt = `start ${'word '.repeat(50_000)}end`
    const systemPrompt = `You are Ada. ${'rule '.repeat(50_000)}`
    expect((await run({ prompt, systemPrompt })).verdict.status).toBe('completed')
    expect(texts(endpoint.messages[0]!.messages[0]!.content)).toContain(prompt)
    expect(JSON.stringify(endpoint.messages[0]!.system)).toContain(systemPrompt)
  })

  it('takes a message that looks like a command for a message', async () => {
    const { endpoint, run } = await scene([{ text: 'Fine.' }])
    const { frames } = await run({ prompt: '/clear' })
    expect(spoken(frames)).toBe('Fine.')
    expect(texts(endpoint.messages[0]!.messages[0]!.content).at(-1)?.trim()).toBe('/clear')
  })

  it('goes on with a session of its own', async () => {
    const { endpoint, folders, run } = await scene([{ text: 'First.' }, { text: 'Second.' }])
    const id = randomUUID()
    const first = await run({ session: { id, resume: false, folder: `${folders.run}/client` } })
    const second = await run({ session: { id, resume: true, folder: `${folders.run}/client` }, prompt: 'And then?' })
    expect([first, second].map(({ verdict }) => verdict.metadata['session_id'])).toEqual([id, id])
    const said = endpoint.messages[1]!.messages.filter(({ role }) => role !== 'system').flatMap(({ content }) =>
      texts(content),
    )
    expect(said).toEqual(expect.arrayContaining(['Please begin.', 'First.', 'And then?']))
  })

  it('keeps no session unless asked to, and tells when one is gone', async () => {
    const { folders, run } = await scene([{ text: 'Hello.' }])
    const { verdict } = await run()
    const id = String(verdict.metadata['session_id'])
    expect((await run({ session: { id, resume: true, folder: `${folders.run}/client` } })).verdict).toMatchObject({
      status: 'failed',
      kind: 'resume_missing',
    })
    expect(folders.home).toBeTruthy()
  })

  it('does not let the agent say its key, in however many pieces', async () => {
    const { run } = await scene([
      {
        text: ['My key is muster-', 'dummy-k', 'ey-of', '-ada.'],
        tools: [{ name: 'Bash', input: { command: 'echo $ANTHROPIC_API_KEY; echo $ANTHROPIC_API_KEY | base64' } }],
      },
      { text: 'x' },
    ])
    const { frames } = await run()
    expect(spoken(frames)).toContain('My key is [redacted].')
    expect(JSON.stringify(frames)).not.toMatch(/dummy-key|ZHVtbXkta2V5|bXVzdGVyLWR1bW/)
  })

  it('signs in with a subscription token where there is no sidecar', async () => {
    const { endpoint, run } = await scene([{ text: 'Hello.' }])
    const token = 'sk-ant-oat01-of-a-subscription'
    await run({
      access: { via: 'direct', kind: 'oauth', token, baseUrl: endpoint.url },
      env: { ANTHROPIC_API_KEY: 'sk-ant-other' },
    })
    expect(endpoint.requests.find(({ method }) => method === 'POST')?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
    })
  })

  it('refuses root, and says so', async () => {
    const { run } = await scene([{ text: 'Hello.' }])
    const { verdict } = await run({}, { env: { IS_SANDBOX: '' } })
    if (process.getuid?.() === 0) expect(verdict).toMatchObject({ status: 'failed', kind: 'root_refused' })
    else expect(verdict.status).toBe('completed')
  })

  it('is missed where it is not installed', async () => {
    const { run } = await scene([])
    await expect(run({}, { bin: join('/', 'nowhere'), env: { PATH: '/nowhere' } })).rejects.toThrow(/ENOENT/)
  })
})
