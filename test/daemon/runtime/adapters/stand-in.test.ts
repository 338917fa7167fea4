import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { AgentFrame } from '#contract/frames'
import type { Turn } from '../../../../daemon/runtime/adapters/adapter.ts'
import { claudeCode } from '../../../../daemon/runtime/adapters/claude-code/index.ts'
import { composePrompt } from '../../../../daemon/runtime/adapters/history.ts'
import { agentFolders, readText, runLocally, spoken } from '../../../support/agent-client.ts'

const bin = new URL('../../../../templates/demo/claude-stand-in', import.meta.url).pathname
const scratch: { remove(): void }[] = []
afterEach(() => {
  for (const it of scratch.splice(0)) it.remove()
})

function scene() {
  const { folders, remove } = agentFolders()
  scratch.push({ remove })
  const turn: Turn = {
    runId: randomUUID(),
    crewId: 'crew1',
    chatId: 'chat1',
    agent: { id: 'agent1', slug: 'ada' },
    folders,
    provider: 'ANTHROPIC',
    model: 'claude-opus-4-8',
    systemPrompt: 'You are Ada.',
    toolProfile: 'CODING',
    cliTools: null,
    mcpConfigs: [],
    maxTurns: 0,
    unattended: false,
    prompt: 'Hello!',
    access: { via: 'sidecar', key: 'dummy-key-of-ada', origin: 'http://127.0.0.1:9' },
    proxy: null,
    env: {},
    session: null,
  }
  const run = (change: Partial<Turn> = {}, options: Partial<Parameters<typeof runLocally>[2]> = {}) =>
    runLocally(claudeCode, { ...turn, ...change }, { bin, ...options })
  return { folders, run }
}

const kinds = (frames: AgentFrame[]) => frames.map(({ type }) => type).filter((type, n, all) => type !== all[n - 1])

describe('the stand-in for claude', () => {
  it('says what it is, and writes a real file', async () => {
    const { folders, run } = scene()
    const { frames, verdict } = await run()
    expect(kinds(frames)).toEqual(['system', 'text', 'tool_call', 'tool_result', 'text', 'result'])
    expect(frames[0]).toMatchObject({ metadata: { model: 'scripted-stand-in' } })
    expect(spoken(frames)).toMatch(/^I am a scripted stand-in: no model reads .* hello\.txt is in my output folder\.$/)
    expect(readText(folders.cwd, 'hello.txt')).toMatch(/^Hello from agent1\.\nWritten \d{4}-/)
    expect(verdict).toMatchObject({
      status: 'completed',
      kind: null,
      metadata: {
        model: 'scripted-stand-in',
        cli_version: 'stand-in',
        input_tokens: 20,
        output_tokens: 10,
        total_cost_usd: 0,
        num_turns: 2,
      },
    })
  })

  it('runs the command that it is given, whatever was said before', async () => {
    const { run } = scene()
    const { text } = composePrompt({
      history: [{ role: 'user', content: 'run: exit 9' }],
      message: 'run: echo one; echo two >&2; exit 3',
      systemPrompt: '',
    })
    const { frames, verdict } = await run({ prompt: text })
    expect(frames.find(({ type }) => type === 'tool_call')).toMatchObject({
      metadata: { tool_name: 'Bash', input: { command: 'echo one; echo two >&2; exit 3' } },
    })
    expect(frames.find(({ type }) => type === 'tool_result')).toMatchObject({
      content: 'Exit code 3\none\ntwo',
      metadata: { is_error: true, exit_code: 3 },
    })
    expect(spoken(frames)).toContain('That did not work')
    expect(verdict.status).toBe('completed')
  })

  it('obeys the tools and the turn cap that it is given', async () => {
    const { run } = scene()
    expect((await run({ toolProfile: 'MINIMAL' })).frames.find(({ type }) => type === 'tool_result')).toMatchObject({
      metadata: { is_error: true },
    })
    expect((await run({ maxTurns: 1 })).verdict).toMatchObject({ status: 'failed', kind: 'turn_cap' })
  })

  it('streams piece by piece', async () => {
    const { run } = scene()
    const { frames } = await run({ prompt: 'count to 2000' })
    const pieces = frames.filter(({ type }) => type === 'text').map((frame) => 'content' in frame && frame.content)
    expect(pieces).toEqual(Array.from({ length: 2000 }, (_, n) => `${n + 1} `))
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 0],
  ] as const)('can be interrupted by %s', async (signal, code) => {
    const { run } = scene()
    const { frames, verdict, left } = await run(
      { prompt: 'wait' },
      { onFrame: (frame, end) => spoken([frame]).includes('interrupt') && end(signal) },
    )
    expect(verdict).toMatchObject({ status: 'cancelled', exit_code: code })
    expect(frames.some(({ type }) => type === 'result')).toBe(signal === 'SIGINT')
    expect(left).toEqual([])
  })

  it('takes its command with it', async () => {
    const { run } = scene()
    const { verdict, left } = await run(
      { prompt: 'run: exec sleep 300' },
      { onFrame: (frame, end) => frame.type === 'tool_call' && end() },
    )
    expect(verdict.status).toBe('cancelled')
    expect(left).toEqual([])
  })

  it('keeps no sessions', async () => {
    const { run } = scene()
    expect((await run({ session: { id: randomUUID(), resume: true, folder: '/nowhere' } })).verdict).toMatchObject({
      status: 'failed',
      kind: 'resume_missing',
    })
  })
})
