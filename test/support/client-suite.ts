import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Adapter, FailureKind, Turn } from '../../daemon/runtime/adapters/adapter.ts'
import type { Ask } from '../../daemon/runtime/sidecar/control.ts'
import { startSidecar } from '../../daemon/runtime/sidecar/server.ts'
import type { SidecarConfig } from '../../daemon/runtime/types.ts'
import { adapterNeeds, type CliAdapter, type LlmProvider } from '../../src/contract/agents.ts'
import { agentFolders, fetchClient, gitThatRuns, readText, runLocally, spoken, survivors } from './agent-client.ts'
import { leaveOut } from './leave-out.ts'
import type { ModelEndpoint, Script, ScriptedTool } from './model-endpoint.ts'
import { isTaught } from './taught.ts'
import { waitingNotes } from './waiting-notes.ts'

/** How a vendor's client and its model service talk. */
export interface Dialect<B> {
  adapter: Adapter
  /** The client's name in templates/containers/clis.json. */
  client: string
  provider: LlmProvider
  model: string
  endpoint(script: Script<B>, options: { keys: string[] }): Promise<ModelEndpoint<B>>
  /** A command as the model asks for it. */
  shell(command: string): ScriptedTool
  /** A tool of an MCP server as the model asks for it. */
  mcpTool(server: string, tool: string, input: Record<string, unknown>): ScriptedTool
  /** The client's tool that loads a skill, as the model asks for it; without one it reads the file. */
  skill?(name: string): ScriptedTool
  /** A folder with programs that the tool needs besides. */
  programs?: string
  /** All that the model service was told in one request. */
  told(body: B | undefined): string
  /** What a status of the model service means. */
  statuses: readonly (readonly [status: number, kind: FailureKind])[]
  /** The client asks again for a minute, however seldom it was told to, unless the service says when to. */
  asksForLong?: true
}

/** The key that an agent holds, which names it to the sidecar. */
export const dummyKey = 'muster-dummy-key-of-ada'
const shout = new URL('../fixtures/mcp/shout.mjs', import.meta.url).pathname

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

const open: { close(): unknown }[] = []

/** Closes what scenes opened, the newest first. */
export async function closeScenes(): Promise<void> {
  for (const it of open.splice(0).reverse()) await it.close()
}

/** An agent's folders, a sidecar that holds the real key, and the scripted model service behind it. */
export async function clientScene<B>(
  dialect: Pick<Dialect<B>, 'adapter' | 'provider' | 'model' | 'endpoint'>,
  bin: string,
  script: Script<B>,
  keys = ['sk-real'],
  { agentId = 'agent1', ask }: { agentId?: string; ask?: Ask } = {},
) {
  const notes = waitingNotes()
  const { adapter, provider, model } = dialect
  const endpoint = await dialect.endpoint(script, { keys })
  const { folders, remove } = agentFolders()
  open.push({ close: remove }, endpoint)
  const sidecar = await startSidecar({ port: 0, isolated: false, report: () => undefined, ask: ask ?? notes.ask })
  open.push(sidecar)
  const credentials = [{ credentialId: 'c', provider, kind: 'api_key' as const, token: 'sk-real', priority: 1 }]
  sidecar.configure({
    network: { mode: 'restricted', allowedDomains: [], allowPrivateEndpoints: false },
    agents: { [dummyKey]: { agentId, slug: 'ada', credentials } },
    upstreams: { [provider]: endpoint.url },
  } satisfies SidecarConfig)
  const turn: Turn = {
    runId: randomUUID(),
    crewId: 'crew1',
    chatId: 'chat1',
    agent: { id: 'agent1', slug: 'ada' },
    folders,
    provider,
    model,
    systemPrompt: 'You are Ada, a test.',
    toolProfile: 'CODING',
    cliTools: null,
    mcpConfigs: [],
    maxTurns: 0,
    unattended: false,
    prompt: 'Please begin.',
    access: { via: 'sidecar', key: dummyKey, origin: `http://127.0.0.1:${sidecar.port}` },
    proxy: `http://127.0.0.1:${sidecar.port}`,
    env: {},
    session: null,
    retries: 1,
  }
  const run = (change: Partial<Turn> = {}, options: Partial<Parameters<typeof runLocally>[2]> = {}) =>
    runLocally(adapter, { ...turn, ...change }, { bin, ...options })
  return { endpoint, folders, run, runId: turn.runId, notes, origin: `http://127.0.0.1:${sidecar.port}` }
}

/**
 * What every client does for Muster, tried with the vendor's own program through a real sidecar; `own` tries what is
 * this client's alone.
 */
export function describeClient<B>(
  dialect: Dialect<B>,
  own: (scene: (script: Script<B>, keys?: string[]) => ReturnType<typeof clientScene<B>>) => void,
): void {
  const { adapter, client, model, shell, mcpTool, told, statuses } = dialect
  const { bin, missing } = fetchClient(client)
  leaveOut(missing)
  const scene = (script: Script<B>, keys?: string[]) => clientScene(dialect, bin!, script, keys)
  const withPrograms = (script: Script<B>) =>
    clientScene(dialect, [dialect.programs, bin].filter(Boolean).join(':'), script)

  describe.skipIf(missing)(`${client} from the npm registry`, { timeout: 120_000 }, () => {
    afterEach(closeScenes)

    it('answers a turn with text, through the sidecar that puts the real key in', async () => {
      const { endpoint, run } = await scene([{ text: ['Hello', ' there.'], usage: { input: 30, output: 5 } }])
      const { frames, verdict } = await run()
      expect(spoken(frames)).toBe('Hello there.')
      expect(frames.at(-1)?.type).toBe('result')
      expect(verdict).toMatchObject({
        status: 'completed',
        kind: null,
        exit_code: 0,
        metadata: { model, input_tokens: 30, output_tokens: 5 },
      })
      expect(told(endpoint.messages[0])).toContain('You are Ada, a test.')
      expect(told(endpoint.messages[0])).toContain('Please begin.')
      for (const { key } of endpoint.requests) expect(key).toBe('sk-real')
    })

    it('runs a tool that writes a file', async () => {
      const { endpoint, folders, run } = await scene([
        { text: 'I write it.', tools: [shell('echo "$SVC_AGENT_ID was here" | tee note.txt')] },
        { text: 'Done.' },
      ])
      const { frames, verdict } = await run()
      expect(verdict).toMatchObject({ status: 'completed', kind: null })
      expect(readText(folders.cwd, 'note.txt')).toBe('agent1 was here\n')
      const tools = frames.filter(({ type }) => type.startsWith('tool'))
      expect(tools.map(({ type }) => type)).toEqual(['tool_call', 'tool_result'])
      expect(JSON.stringify(tools[1])).toContain('agent1 was here')
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

    it.runIf(adapter.can.steer)('hears within its turn what is said to it meanwhile', async () => {
      const words = 'Grace says, while you work:\n> Use "SQLite" \\ and \ttabs, \u00e4 \u4f60 $HOME `id` \'x\''
      const { endpoint, run, runId, notes } = await scene((_, n) => {
        if (n === 0) notes.leave(words)
        return n < 2 ? { tools: [shell(`echo ${n}`)] } : { text: 'Done.' }
      })
      const { verdict } = await run()
      expect(verdict).toMatchObject({ status: 'completed', kind: null })
      // Gemini CLI writes signs of markup as entities.
      const texts = endpoint.messages.map((body) => told(body).replaceAll('&gt;', '>'))
      const heard = texts.map((text) => text.split(JSON.stringify(words).slice(1, -1)).length - 1)
      expect(heard).toEqual([0, 1, 1])
      expect(notes.taken).toEqual([words])
      expect(notes.asked.every((it) => it.runId === runId)).toBe(true)
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

    it.each(statuses)('tells what a %i of the model service means: %s', async (status, kind) => {
      const { run } = await scene([{ status, ...(dialect.asksForLong && { retryAfter: 0 }) }])
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
      const { verdict } = await run({}, { endWhen: () => endpoint.messages.length > 1 })
      expect(verdict.status).toBe('cancelled')
      await endpoint.until(() => endpoint.requests.some(({ aborted }) => aborted))
      await vi.waitUntil(() => survivors(runId).length === 0)
    })

    it('is cancelled while a command runs, which carries the mark of the run', async () => {
      const { folders, run, runId } = await scene([
        { tools: [shell('echo $SVC_RUN_ID > mark; sleep 300')] },
        { text: 'never' },
      ])
      const { verdict } = await run({}, { endWhen: () => existsSync(join(folders.cwd, 'mark')) })
      expect(verdict.status).toBe('cancelled')
      expect(readText(folders.cwd, 'mark').trim()).toBe(runId)
      await vi.waitUntil(() => survivors(runId).length === 0)
    })

    it('is ended when it calls the same tool over and over', async () => {
      const { run } = await scene([{ tools: [shell('echo again')] }])
      expect((await run()).verdict).toMatchObject({ status: 'failed', kind: 'tool_loop' })
    })

    it('uses a tool server, whose variables are those of the agent', async () => {
      const { run } = await scene([{ tools: [mcpTool('shout', 'shout', { words: 'hey' })] }, { text: 'Done.' }])
      const mcpServers = { shout: { command: process.execPath, args: [shout], env: { MARK: '$MARK_OF_AGENT' } } }
      const { frames } = await run({ mcpConfigs: [JSON.stringify({ mcpServers })], env: { MARK_OF_AGENT: '!!' } })
      expect(frames.find(({ type }) => type === 'tool_call')).toMatchObject({
        metadata: { transport: 'mcp', mcp_server: 'shout', mcp_tool: 'shout' },
      })
      expect(frames.find(({ type }) => type === 'tool_result')).toMatchObject({ content: 'HEY !!' })
    })

    it('is taught skills, whose scripts run, and none that were taken from it', () =>
      isTaught<B>({ scene: withPrograms, shell, skill: dialect.skill?.('greet') }))

    it('takes a prompt and a system prompt of more than 200 KB', async () => {
      const { endpoint, run } = await scene([{ text: 'Read.' }])
      const prompt = `start ${'word '.repeat(50_000)}end`
      const systemPrompt = `You are Ada. ${'rule '.repeat(50_000)}over`
      expect((await run({ prompt, systemPrompt })).verdict.status).toBe('completed')
      expect(told(endpoint.messages[0])).toContain(prompt)
      expect(told(endpoint.messages[0])).toContain(systemPrompt)
    })

    it.skipIf(adapterNeeds[adapter.name as CliAdapter])('runs no program for an agent that may run none', async () => {
      const { folders, run } = await scene([{ text: 'Hello.' }])
      const seen = gitThatRuns(folders)
      expect((await run({ toolProfile: 'MINIMAL' })).verdict.status).toBe('completed')
      expect(existsSync(seen)).toBe(false)
    })

    it.runIf(adapter.keepsSessions)('goes on with its session', async () => {
      const { endpoint, folders, run } = await scene([{ text: 'First.' }, { text: 'Second.' }])
      const folder = `${folders.run}/client`
      const first = await run({ session: { id: randomUUID(), resume: false, folder } })
      const id = String(first.verdict.metadata['session_id'])
      const second = await run({ session: { id, resume: true, folder }, prompt: 'And then?' })
      expect(spoken(second.frames)).toBe('Second.')
      for (const text of ['Please begin.', 'First.', 'And then?']) expect(told(endpoint.messages[1])).toContain(text)
    })

    it.runIf(adapter.keepsSessions)('tells when its session is gone', async () => {
      const { endpoint, folders, run } = await scene([{ text: 'Hello.' }])
      const session = { id: randomUUID(), resume: true, folder: `${folders.run}/client` }
      expect((await run({ session })).verdict).toMatchObject({ status: 'failed', kind: 'resume_missing' })
      expect(endpoint.messages).toEqual([])
    })

    it.runIf(adapter.keepsSessions)('tells when its session is damaged', async () => {
      const { endpoint, folders, run } = await scene([{ text: 'First.' }, { text: 'Second.' }])
      const folder = `${folders.run}/client`
      const first = await run({ session: { id: randomUUID(), resume: false, folder } })
      for (const file of filesBelow(folder)) writeFileSync(file, 'not what a client writes\n')
      const session = { id: String(first.verdict.metadata['session_id']), resume: true, folder }
      expect((await run({ session })).verdict).toMatchObject({ status: 'failed', kind: 'resume_missing' })
      expect(endpoint.messages).toHaveLength(1)
    })

    it('does not let the agent say its key, and has no other', async () => {
      const { run } = await scene([
        { text: `My key is ${dummyKey}.`, tools: [shell('env; env | base64; cat /proc/$PPID/environ')] },
        { text: 'x' },
      ])
      const { frames } = await run({ env: { OPENAI_API_KEY: 'sk-other', ANTHROPIC_API_KEY: 'sk-other' } })
      expect(spoken(frames)).toContain('My key is [redacted].')
      expect(JSON.stringify(frames)).not.toMatch(/dummy-key|bXVzdGVyLWR1bW|sk-real/)
    })

    own(scene)
  })
}
