import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { opencode } from '../../daemon/runtime/adapters/opencode/index.ts'
import { fetchClient, readText, spoken } from '../support/agent-client.ts'
import { clientScene, type Dialect, describeClient } from '../support/client-suite.ts'
import { type MessagesBody, modelEndpoint } from '../support/model-endpoint.ts'
import { type ResponsesBody, responsesEndpoint } from '../support/responses-endpoint.ts'

/** The client lists what lies beside a skill with ripgrep, which crews have and Codex brings along. */
function withRipgrep(): string {
  const { bin } = fetchClient('codex')
  const packages = bin ? join(bin, '../@openai') : ''
  const files = bin ? readdirSync(packages, { recursive: true, encoding: 'utf8' }) : []
  const found = files.find((file) => file.endsWith('/rg'))
  return found ? dirname(join(packages, found)) : ''
}

const shell = (command: string) => ({ name: 'bash', input: { command } })
const offered = (body: MessagesBody | undefined) => (body?.tools ?? []).map(({ name }) => name).sort()
const reading = ['glob', 'grep', 'read']

const common = {
  adapter: opencode,
  client: 'opencode',
  skill: (name: string) => ({ name: 'skill', input: { name } }),
  programs: withRipgrep(),
  shell,
  mcpTool: (server: string, tool: string, input: Record<string, unknown>) => ({ name: `${server}_${tool}`, input }),
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
      [529, 'overloaded'],
      [500, 'overloaded'],
      [429, 'quota'],
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
      ['MINIMAL', 'Read,Bash,Write,Edit', ['read']],
      ['CODING', null, ['bash', 'edit', ...reading, 'webfetch', 'write'].sort()],
      ['CODING', 'Grep,Write,WebSearch', ['grep']],
    ] as const)('is offered with %s and %j: %j', async (toolProfile, cliTools, expected) => {
      const { endpoint, run } = await scene([{ text: 'Hello.' }])
      await run({ toolProfile, cliTools })
      expect(offered(endpoint.messages[0])).toEqual(expected)
    })

    it.each([
      ['MINIMAL', null],
      ['CODING', 'Read,Glob,Grep,Write'],
    ] as const)(
      'writes, runs and fetches nothing with %s and %j, whatever the model asks for',
      async (profile, only) => {
        const { endpoint, folders, run } = await scene((_, n) => {
          const filePath = join(folders.cwd, 'seen.txt')
          const tools = [
            shell(`echo out > ${filePath}`),
            { name: 'write', input: { filePath, content: 'by me' } },
            { name: 'edit', input: { filePath, oldString: '', newString: 'by me' } },
            { name: 'apply_patch', input: { patchText: '*** Begin Patch\n*** Add File: seen.txt\n+x\n*** End Patch' } },
            { name: 'task', input: { description: 'x', prompt: `write ${filePath}`, subagent_type: 'general' } },
            { name: 'webfetch', input: { url: 'https://example.com', format: 'text' } },
            { name: 'skill', input: { name: 'customize-opencode' } },
          ]
          return n === 0 ? { tools } : { text: 'Done.' }
        })
        const { frames, verdict } = await run({ toolProfile: profile, cliTools: only })
        expect(verdict.status).toBe('completed')
        expect(existsSync(join(folders.cwd, 'seen.txt'))).toBe(false)
        const results = frames.filter(({ type }) => type === 'tool_result')
        expect(results).toHaveLength(7)
        for (const { metadata } of results) expect(metadata).toMatchObject({ is_error: true })
        expect(endpoint.messages).toHaveLength(2)
      },
    )

    it('reads no settings or instructions that an agent may have written', async () => {
      const { endpoint, folders, run } = await scene([{ text: 'Hello.' }])
      const allowed = JSON.stringify({
        permission: { '*': 'allow', bash: 'allow' },
        agent: { muster: { prompt: 'No.' } },
      })
      for (const at of [folders.cwd, folders.home, `${folders.home}/.config`, '.opencode']) {
        const base = at === '.opencode' ? folders.cwd : at
        const hidden = at.endsWith('.config') ? 'opencode' : '.opencode'
        for (const [name, content] of Object.entries({
          'opencode.json': allowed,
          [`${hidden}/opencode.json`]: allowed,
          [`${hidden}/agent/muster.md`]: '---\npermission: allow\n---\nNo.',
          'AGENTS.md': 'Instructions of the folder.',
          '.claude/CLAUDE.md': 'Instructions of the folder.',
        })) {
          mkdirSync(dirname(join(base, name)), { recursive: true })
          writeFileSync(join(base, name), content)
        }
      }
      const { verdict } = await run({ toolProfile: 'MINIMAL' })
      expect(verdict.status).toBe('completed')
      expect(offered(endpoint.messages[0])).toEqual(reading)
      expect(JSON.stringify(endpoint.messages[0]?.system)).toContain('You are Ada, a test.')
      expect(JSON.stringify(endpoint.messages[0])).not.toContain('Instructions of the folder')
    })

    it('chooses a model of its provider where none is named', async () => {
      const { endpoint, run } = await scene([{ text: 'Hello.' }])
      const { verdict } = await run({ model: null })
      expect(verdict.status).toBe('completed')
      expect(endpoint.messages[0]?.model).toMatch(/^claude-/)
    })

    it('works with the models of OpenAI', async () => {
      const { endpoint, folders, run } = await clientScene(withOpenAi, fetchClient('opencode').bin!, [
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
