import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'smol-toml'
import { expect, it } from 'vitest'
import { codex } from '../../daemon/runtime/adapters/codex/index.ts'
import { readText, spoken } from '../support/agent-client.ts'
import { describeClient } from '../support/client-suite.ts'
import { type ResponsesBody, responsesEndpoint } from '../support/responses-endpoint.ts'

const shell = (cmd: string) => ({ name: 'exec_command', input: { cmd } })

describeClient<ResponsesBody>(
  {
    adapter: codex,
    client: 'codex',
    provider: 'OPENAI',
    model: 'gpt-5',
    endpoint: responsesEndpoint,
    shell,
    mcpTool: (server, tool, input) => ({ name: `mcp__${server}.${tool}`, input }),
    told: (body) => JSON.stringify(body?.input),
    statuses: [
      [503, 'overloaded'],
      [500, 'overloaded'],
      [429, 'quota'],
      [404, 'unknown_model'],
    ],
  },
  (scene) => {
    it('is asked on standard input, and asks its service for nothing but answers', async () => {
      const { endpoint, folders, run } = await scene([{ text: 'Hello.' }])
      const { frames } = await run()
      expect(frames.map(({ type }) => type).filter((type) => type !== 'system')).toEqual(['text', 'result'])
      expect(readText(folders.run, 'in')).toBe('Please begin.')
      expect(endpoint.requests.map(({ method, path }) => [method, path])).toEqual(
        Array(endpoint.requests.length).fill(['POST', '/v1/responses']),
      )
      expect(endpoint.messages[0]?.model).toBe('gpt-5')
    })

    it('runs commands without a sandbox of its own', async () => {
      const { run } = await scene([{ tools: [shell('echo seen')] }, { text: 'Done.' }])
      const { frames } = await run()
      expect(frames.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
        { type: 'tool_call', content: 'shell' },
        { type: 'tool_result', content: 'seen\n', metadata: { exit_code: 0, status: 'completed' } },
      ])
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

    it('takes hooks from no folder', async () => {
      const { folders, run } = await scene([{ tools: [shell('true')] }, { text: 'Done.' }])
      const hook = { type: 'command', command: `touch ${join(folders.shared, 'ran')}` }
      const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop']
      const hooks = JSON.stringify({ hooks: Object.fromEntries(events.map((name) => [name, [{ hooks: [hook] }]])) })
      execFileSync('git', ['init', '--quiet'], { cwd: folders.cwd })
      const client = join(folders.run, 'client')
      for (const folder of [join(folders.cwd, '.codex'), join(folders.home, '.codex'), client]) {
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, 'hooks.json'), hooks)
        writeFileSync(join(folder, 'config.toml'), stringify(JSON.parse(hooks)))
      }
      expect((await run()).verdict).toMatchObject({ status: 'completed', kind: null })
      expect(existsSync(join(folders.shared, 'ran'))).toBe(false)
    })

    it('counts what its whole session used', async () => {
      const { folders, run } = await scene([{ text: 'First.' }, { text: 'Second.' }])
      const folder = `${folders.run}/client`
      const first = await run({ session: { id: randomUUID(), resume: false, folder } })
      const id = String(first.verdict.metadata['session_id'])
      const second = await run({ session: { id, resume: true, folder }, prompt: 'And then?' })
      expect(second.verdict.metadata['session_id']).toBe(id)
      expect(first.verdict.metadata).toMatchObject({ input_tokens: 12, output_tokens: 7 })
      // Read on its own, the client's count is that of the session.
      expect(second.verdict.metadata).toMatchObject({ input_tokens: 24, output_tokens: 14 })
    })

    it('keeps its configuration, with the key in none of it, where commands can read it', async () => {
      const { run } = await scene([{ text: 'I look.', tools: [shell('cat "$CODEX_HOME/config.toml"')] }, { text: 'x' }])
      const { frames } = await run({ env: { OPENAI_API_KEY: 'sk-other' } })
      expect(spoken(frames)).toContain('I look.')
      expect(JSON.stringify(frames)).toContain('model_providers')
      expect(JSON.stringify(frames)).not.toMatch(/dummy-key|sk-real|sk-other/)
    })
  },
)
