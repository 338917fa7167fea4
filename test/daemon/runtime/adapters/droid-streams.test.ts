import { describe, expect, it } from 'vitest'
import { droid } from '../../../../daemon/runtime/adapters/droid/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { type Expected, exit, readsRecordings, recording } from '../../../support/recordings.ts'

const completed = { status: 'completed', kind: null }
const hello: Expected = {
  end: exit(0),
  frames: ['system init', 'text Hello from mock.', 'result success'],
  verdict: { ...completed, metadata: { input_tokens: 12, output_tokens: 7 } },
}
const tool: Expected = {
  end: exit(0),
  frames: [
    'system init',
    'tool_call Execute',
    'tool_result hello\n\n\n[Process exited with code 0]',
    'text Done: command ran.',
    'result success',
  ],
  verdict: { ...completed, metadata: { input_tokens: 24, output_tokens: 14, num_turns: 2 } },
}
const tooRisky =
  'Exec ended early: insufficient permission to proceed. Re-run with --auto medium or --auto high. ' +
  'For destructive commands, use --skip-permissions-unsafe.'
const risky: Expected = {
  end: exit(1),
  frames: ['system init', 'tool_call Execute', `tool_result error Error: ${tooRisky}`, `text ${tooRisky}`],
  verdict: { status: 'failed', kind: 'internal', reason: tooRisky },
}

const recordings: Record<string, Expected> = {
  droid: tool,
  'droid-tool': tool,
  'droid-tool-low': tool,
  'droid-denied': tool,
  'droid-container': tool,
  'droid-s1': tool,
  'droid-risk-high-high': tool,
  'droid-fork': hello,
  'droid-container-resume': hello,
  'droid-fakekey': hello,
  'droid-nokey': hello,
  'droid-nosync': hello,
  'droid-risk-high-default': risky,
  'droid-risk-high-low': risky,
  // Another format of the client, which is not asked for: its one event is unknown.
  'droid-json': {
    end: exit(0),
    frames: [],
    verdict: { status: 'failed', kind: 'no_output', reason: 'The agent gave no answer' },
  },
  'droid-err401': {
    end: exit(1),
    frames: ['system init'],
    verdict: { status: 'failed', kind: 'bad_key', reason: 'The model service refused the key: 401 mock error 401' },
  },
  // Ended from outside while it asked again and again.
  'droid-err500': {
    end: { kind: 'signal', signal: 'SIGTERM' },
    frames: ['system init'],
    verdict: { status: 'failed', kind: 'killed' },
  },
  'droid-vendor-model': {
    end: exit(1),
    frames: ['system init'],
    verdict: { status: 'failed', kind: 'bad_key', reason: /Authentication failed/ },
  },
  'droid-badmodel': {
    end: exit(1),
    frames: [],
    verdict: {
      status: 'failed',
      kind: 'unknown_model',
      reason: 'The model is not available: Invalid model: custom:Nope-9',
    },
  },
}

describe('recordings of droid', () => {
  readsRecordings('droid', droid, recordings)

  it('read the same in pieces of any size', () => {
    const whole = recording('droid-tool.jsonl')
    const read = (pieces: Buffer[]) => {
      const parser = createParser(droid.reader({ mcpServers: [], model: null, used: null }))
      return [...pieces.flatMap((piece) => parser.feed(piece)), ...parser.flush()]
    }
    const bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1))
    expect(read(bytes)).toEqual(read([whole]))
  })

  it('tell of a program that died before its end', () => {
    const lines = recording('droid-tool.jsonl').toString().split('\n').slice(0, 3)
    const parser = createParser(droid.reader({ mcpServers: [], model: null, used: null }))
    const seen = [...parser.feed(Buffer.from(`${lines.join('\n')}\n{"type":"tool_res`)), ...parser.flush()]
    expect(seen.map(({ type }) => type)).toEqual(['system', 'tool_call'])
    expect(parser.facts.finished).toBe(false)
  })
})

const session_id = '3409565a-da88-4594-92ec-f887547ffbff'
const said = (text: unknown) => ({ type: 'message', role: 'assistant', id: 'm1', text, session_id })
const call = (toolName: string, id = 'c1', parameters: object = {}) => ({
  type: 'tool_call',
  toolName,
  id,
  parameters,
  session_id,
})
const answer = (more: object) => ({ type: 'tool_result', id: 'c1', isError: false, session_id, ...more })
const usage = { input_tokens: 40, output_tokens: 9, cache_read_input_tokens: 60, cache_creation_input_tokens: 20 }
const completion = { type: 'completion', finalText: 'Bye', numTurns: 3, durationMs: 120, session_id, usage }

/** What is read of these events. */
function frames(events: (object | Buffer)[], mcpServers: string[] = [], resumed = false) {
  const used = resumed ? { input_tokens: 1, output_tokens: 1 } : null
  const parser = createParser(droid.reader({ mcpServers, model: 'gpt-5', used }))
  const lines = events.map((it) => (Buffer.isBuffer(it) ? it : Buffer.from(`${JSON.stringify(it)}\n`)))
  return { seen: [...parser.feed(Buffer.concat(lines)), ...parser.flush()], parser }
}

describe('events of droid', () => {
  it('begin with the session, and the model that was asked for', () => {
    const start = { type: 'system', subtype: 'init', cwd: '/output/ada', session_id, model: 'custom:Muster-0' }
    const { seen, parser } = frames([start], ['git'])
    expect(seen).toEqual([{ type: 'system', metadata: { subtype: 'init', model: 'gpt-5', session_id } }])
    expect(parser.facts).toMatchObject({ session_id, init: { mcp_server_count: 1, cwd: '/output/ada' } })
  })

  it('of two texts are two paragraphs, and what a person said is not repeated', () => {
    const { seen, parser } = frames([{ ...said('Hi'), role: 'user' }, said('Hello'), said(''), said('Bye')])
    expect(seen).toEqual([
      { type: 'text', content: 'Hello' },
      { type: 'text', content: '\n\nBye' },
    ])
    expect(parser.facts.result_text).toBe('Bye')
  })

  it('of a tool are a call and its answer', () => {
    const input = { command: 'false' }
    const { seen } = frames([
      said('So'),
      call('Execute', 'c1', input),
      answer({ value: 'no\n[Process exited with code 1]' }),
      said('And'),
      call('Edit', 'c2'),
      answer({ id: 'c2', isError: true, error: { type: 'tool_error', message: 'refused' } }),
    ])
    const of = (id: string) => ({ tool_use_id: id, tool_id: id, is_error: true })
    expect(seen).toEqual([
      { type: 'text', content: 'So' },
      { type: 'tool_call', content: 'Execute', metadata: { tool_name: 'Execute', tool_id: 'c1', input } },
      { type: 'tool_result', content: 'no\n[Process exited with code 1]', metadata: { ...of('c1'), exit_code: 1 } },
      { type: 'text', content: 'And' },
      { type: 'tool_call', content: 'Edit', metadata: { tool_name: 'Edit', tool_id: 'c2', input: {} } },
      { type: 'tool_result', content: 'refused', metadata: of('c2') },
    ])
  })

  it.each([
    ['muster___ask_human', 'muster', 'ask_human'],
    ['git___open_issue', 'git', 'open_issue'],
    ['git_hub___status', 'git_hub', 'status'],
  ])('of the tool %s name its server', (name, mcp_server, mcp_tool) => {
    const { seen } = frames([call(name)], ['git', 'git_hub'])
    expect(seen[0]).toMatchObject({ metadata: { tool_name: name, transport: 'mcp', mcp_server, mcp_tool } })
  })

  it('of the end tell what was used', () => {
    const { seen, parser } = frames([completion])
    expect(parser.facts).toMatchObject({ finished: true, num_turns: 3, duration_ms: 120, total_cost_usd: null, usage })
    const told = { input_tokens: 40, output_tokens: 9, cache_read_input_tokens: 60 }
    expect(seen).toMatchObject([
      { type: 'result', metadata: { subtype: 'success', num_turns: 3, duration_ms: 120, usage: told } },
    ])
  })

  it('of a session that goes on count no turns, for the client counts those before, too', () =>
    expect(frames([completion], [], true).parser.facts.num_turns).toBeNull())

  it.each([
    ['401 invalid x-api-key', 'bad_key'],
    ['402 credit balance', 'quota'],
    ['403 no', 'bad_key'],
    ['404 model: x', 'unknown_model'],
    ['429 slow down', 'quota'],
    ['500 oops', 'overloaded'],
    ['529 {"type":"error"}', 'overloaded'],
    ['400 too long', 'rejected'],
    ['Connection error.', 'unreachable'],
    ['Request timed out', 'unreachable'],
    ['Overloaded', 'overloaded'],
    ['You exceeded your quota', 'quota'],
    ['Authentication failed. Please log in', 'bad_key'],
    ['Model x was not found', 'unknown_model'],
    ['Something else', 'internal'],
    [7, 'internal'],
  ])('of a failure %j are sorted as %s', (message, kind) => {
    const { seen, parser } = frames([
      { type: 'error', source: 'agent_loop', message, session_id },
      { type: 'error', source: 'cli', message: 'Exec failed', session_id },
    ])
    expect(parser.facts.failure?.kind).toBe(kind)
    expect(seen).toEqual([])
  })

  it('are read where they are long, strange or broken', () => {
    const long = 'x'.repeat(2 * 1024 * 1024)
    const broken = Buffer.concat([
      Buffer.from('{"type":"message","role":"assistant","text":"a'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('b"}\n'),
    ])
    const { seen } = frames([
      { type: 'something_new', session_id, text: 'never shown' },
      { type: 'system', subtype: 'something_new', text: 'never shown' },
      said(long),
      said(['wrong']),
      { type: 'tool_result', id: 3, value: { wrong: true }, error: 'wrong' },
      { type: 'completion', usage: 'wrong', finalText: {} },
      broken,
    ])
    const texts = seen.flatMap((frame) => (frame.type === 'text' ? [frame.content] : []))
    expect(texts).toEqual([long, '\n\na\ufffd\ufffdb'])
    expect(seen.map(({ type }) => type)).toEqual(['text', 'tool_result', 'result', 'text'])
  })
})
