import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { droid } from '../../daemon/runtime/adapters/droid/index.ts'
import { fetchClient, readText, spoken } from '../support/agent-client.ts'
import { clientScene, type Dialect, describeClient } from '../support/client-suite.ts'
import { type MessagesBody, modelEndpoint } from '../support/model-endpoint.ts'
import { type ResponsesBody, responsesEndpoint } from '../support/responses-endpoint.ts'

const shell = (command: string) => ({ name: 'Execute', input: { command, summary: 'by the script' } })
const offered = (body: MessagesBody | undefined) => (body?.tools ?? []).map(({ name }) => name).sort()
const reading = ['Glob', 'Grep', 'LS', 'Read']

const mcpTool = (server: string, tool: string, input: Record<string, unknown>) => ({
  name: `${server}___${tool}`,
  input,
})
const shout = new URL('../fixtures/mcp/shout.mjs', import.meta.url).pathname

const common = {
  adapter: droid,
  client: 'droid',
  skill: (skill: string) => ({ name: 'Skill', input: { skill } }),
  shell,
  mcpTool,
  asksForLong: true as const,
}
const withOpenAi: Dialect<ResponsesBody> = {
  ...common,
  provider: 'OPENAI',
  model: 'gpt-5',
  endpoint: responsesEndpoint,
  told: (body) => JSON.stringify(body?.input),
  statuses: [],
}

describeClient<MessagesBody>(
  {
    ...common,
    provider: 'ANTHROPIC',
    model: 'claude-sonnet-4-6',
    endpoint: modelEndpoint,
    told: (body) => JSON.stringify([body?.system, body?.messages]),
    statuses: [
      [402, 'quota'],
      [404, 'unknown_model'],
    ],
  },
  (scene) => {
    it('is asked on standard input, and asks its service for nothing but answers', async () => {
      const { endpoint, folders, run } = await scene([{ text: 'Hello.' }])
      const { frames } = await run()
      expect(frames.map(({ type }) => type)).toEqual(['system', 'text', 'result'])
      expect(readText(folders.run, 'in')).toBe('Please begin.')
      expect(endpoint.requests.map(({ method, path }) => [method, path])).toEqual([['POST', '/v1/messages']])
      expect(endpoint.messages[0]?.model).toBe('claude-sonnet-4-6')
    })

    it.each([
      ['MINIMAL', null, reading],
      ['MINIMAL', 'Read,Bash,Write,Edit', ['LS', 'Read']],
      ['CODING', null, ['Create', 'Edit', 'Execute', ...reading].sort()],
      ['CODING', 'Grep,Bash,WebSearch,WebFetch', ['Execute', 'Grep']],
    ] as const)('is offered with %s and %j: %j', async (toolProfile, cliTools, expected) => {
      const { endpoint, run } = await scene([{ text: 'Hello.' }])
      await run({ toolProfile, cliTools })
      expect(offered(endpoint.messages[0]).filter((name) => name !== 'ToolSearch')).toEqual(expected)
    })

    it('changes and fetches nothing by tools that it was not given, whatever the model asks for', async () => {
      const { endpoint, folders, run } = await scene((_, n) => {
        const file_path = join(folders.cwd, 'seen.txt')
        writeFileSync(join(folders.cwd, 'there.txt'), 'old')
        const tools = [
          { name: 'Create', input: { file_path, content: 'by me' } },
          { name: 'Edit', input: { file_path: join(folders.cwd, 'there.txt'), old_str: 'old', new_str: 'new' } },
          { name: 'ApplyPatch', input: { input: '*** Begin Patch\n*** Add File: seen.txt\n+x\n*** End Patch' } },
          { name: 'Task', input: { subagent_type: 'worker', description: 'x', prompt: `write ${file_path}` } },
          { name: 'FetchUrl', input: { url: 'https://example.com' } },
          { name: 'WebSearch', input: { query: 'x' } },
          { name: 'Skill', input: { skill: 'review' } },
          { name: 'GenerateImage', input: { prompt: 'x' } },
        ]
        return n === 0 ? { tools } : { text: 'Done.' }
      })
      const { frames, verdict } = await run({ cliTools: 'Bash' })
      expect(verdict.status).toBe('completed')
      expect(existsSync(join(folders.cwd, 'seen.txt'))).toBe(false)
      expect(readText(folders.cwd, 'there.txt')).toBe('old')
      const results = frames.filter(({ type }) => type === 'tool_result')
      expect(results).toHaveLength(8)
      for (const { metadata } of results) expect(metadata).toMatchObject({ is_error: true })
      expect(endpoint.messages).toHaveLength(2)
    })

    it('takes tools, models and hooks from no folder, and runs no program for a message', async () => {
      const { endpoint, folders, run } = await scene([{ text: 'Hello.' }])
      const seen = (name: string) => join(folders.shared, name)
      const hook = [{ hooks: [{ type: 'command', command: `touch ${seen('hook')}` }] }]
      const elsewhere = {
        model: 'other',
        displayName: 'Muster',
        baseUrl: 'http://127.0.0.1:9',
        apiKey: 'x',
        provider: 'openai',
      }
      const settings = { hooks: { SessionStart: hook, UserPromptSubmit: hook }, customModels: [elsewhere] }
      for (const [name, content] of Object.entries({
        'settings.json': JSON.stringify(settings),
        'hooks.json': JSON.stringify(settings.hooks),
        'commands/go.sh': `#!/bin/sh\ntouch ${seen('command')}\n`,
      })) {
        for (const base of [folders.cwd, folders.home]) {
          const path = join(base, '.factory', name)
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, content, { mode: 0o755 })
        }
      }
      expect((await run({ prompt: ' /go on' })).verdict.status).toBe('completed')
      expect([existsSync(seen('hook')), existsSync(seen('command'))]).toEqual([false, false])
      expect(endpoint.messages[0]?.model).toBe('claude-sonnet-4-6')
      expect(JSON.stringify(endpoint.messages[0])).toContain('\u200b /go on')
    })

    it('reads, lists and searches without help of its vendor', async () => {
      const { folders, run } = await scene((_, n) => {
        const [path, file_path] = [folders.cwd, join(folders.cwd, 'note.txt')]
        const tools = [
          { name: 'Read', input: { file_path } },
          { name: 'LS', input: { directory_path: path } },
          { name: 'Grep', input: { pattern: 'plu.', path, output_mode: 'content' } },
          { name: 'Glob', input: { patterns: ['*.txt'], folder: path } },
        ]
        return n === 0 ? { tools } : { text: 'Done.' }
      })
      writeFileSync(join(folders.cwd, 'note.txt'), 'the word is plum\n')
      const { frames } = await run({ toolProfile: 'MINIMAL' })
      const shown = frames.flatMap((frame) => (frame.type === 'tool_result' ? [frame.content] : []))
      const texts = ['the word is plum', 'note.txt', 'the word is plum', 'note.txt']
      expect(shown).toEqual(texts.map((text) => expect.stringContaining(text)))
    })

    it('names the server of a tool, whatever the server is called', async () => {
      const { run } = await scene([{ tools: [mcpTool('shout_out', 'shout', { words: 'hey' })] }, { text: 'Done.' }])
      const server = { command: process.execPath, args: [shout] }
      const { frames } = await run({ mcpConfigs: [JSON.stringify({ mcpServers: { 'shout out': server } })] })
      expect(frames.find(({ type }) => type === 'tool_call')).toMatchObject({
        metadata: { mcp_server: 'shout out', mcp_tool: 'shout' },
      })
      expect(frames.find(({ type }) => type === 'tool_result')).toMatchObject({
        content: expect.stringMatching(/^HEY/),
      })
    })

    it('fails, and says why, when a tool server does not start', async () => {
      const { endpoint, run } = await scene([{ text: 'never' }])
      const mcpConfigs = [JSON.stringify({ mcpServers: { gone: { command: '/nowhere/at-all', args: [] } } })]
      const { verdict } = await run({ mcpConfigs })
      expect(verdict).toMatchObject({
        status: 'failed',
        kind: 'bad_config',
        reason: expect.stringMatching(/tool server/),
      })
      expect(endpoint.messages).toEqual([])
    })

    it('works with the models of OpenAI', async () => {
      const { endpoint, folders, run } = await clientScene(withOpenAi, fetchClient('droid').bin!, [
        { text: 'I write it.', tools: [shell('echo "by $SVC_AGENT_ID" > note.txt')] },
        { text: ['Do', 'ne.'], usage: { input: 30, output: 5 } },
      ])
      const { frames, verdict } = await run()
      expect(verdict).toMatchObject({
        status: 'completed',
        metadata: { model: 'gpt-5', input_tokens: 42, output_tokens: 12 },
      })
      expect(spoken(frames)).toBe('I write it.Done.')
      expect(readText(folders.cwd, 'note.txt')).toBe('by agent1\n')
      expect(withOpenAi.told(endpoint.messages[0])).toContain('Please begin.')
      expect(JSON.stringify(endpoint.messages[0])).toContain('You are Ada, a test.')
      expect(endpoint.requests.map(({ path, key }) => [path, key])).toEqual(Array(2).fill(['/v1/responses', 'sk-real']))
    })
  },
)
