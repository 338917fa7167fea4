import { describe, expect, it } from 'vitest'
import { opencode } from '../../../../daemon/runtime/adapters/opencode/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { type Expected, exit, readsRecordings, recording } from '../../../support/recordings.ts'

const completed = { status: 'completed', kind: null }
const hello: Expected = {
  end: exit(0),
  frames: ['system init', 'text Hello from mock.', 'result success'],
  verdict: { ...completed, metadata: { input_tokens: 12, output_tokens: 7, num_turns: 1 } },
}
const tool: Expected = {
  end: exit(0),
  frames: ['system init', 'tool_call bash', 'tool_result hello\n', 'text Done: command ran.', 'result success'],
  verdict: { ...completed, metadata: { input_tokens: 24, output_tokens: 14, num_turns: 2 } },
}
const refused = ['system init', 'result error_during_execution error']

const recordings: Record<string, Expected> = {
  opencode: tool,
  'opencode-tool': tool,
  'opencode-container': tool,
  'opencode-perm-ask-auto': tool,
  'opencode-plain': hello,
  'opencode-resume': hello,
  'opencode-continue': hello,
  'opencode-fork': hello,
  'opencode-container-resume': hello,
  'opencode-perm-deny': hello,
  'opencode-perm-ask': {
    end: exit(0),
    frames: [
      'system init',
      'tool_call bash',
      'tool_result error The user rejected permission to use this specific tool call.',
    ],
    verdict: { status: 'failed', kind: 'internal', reason: 'The client ended before its turn was over' },
  },
  'opencode-err401': {
    end: exit(1),
    frames: refused,
    verdict: { status: 'failed', kind: 'bad_key', reason: 'The model service refused the key: mock error 401' },
  },
  'opencode-model-missing': {
    end: exit(1),
    frames: refused,
    verdict: {
      status: 'failed',
      kind: 'internal',
      reason: 'Unexpected server error. Check server logs for details.',
    },
  },
  'opencode-missing': {
    end: exit(1),
    frames: [],
    verdict: {
      status: 'failed',
      kind: 'resume_missing',
      reason: 'The session to go on with is gone: Error: Session not found',
    },
  },
}

describe('recordings of opencode', () => {
  readsRecordings('opencode', opencode, recordings)

  it('read the same in pieces of any size', () => {
    const whole = recording('opencode-tool.jsonl')
    const read = (pieces: Buffer[]) => {
      const parser = createParser(opencode.reader({ mcpServers: [], model: null, used: null }))
      return [...pieces.flatMap((piece) => parser.feed(piece)), ...parser.flush()]
    }
    const bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1))
    expect(read(bytes)).toEqual(read([whole]))
  })

  it('tell of a program that died before its end', () => {
    const [first, second] = recording('opencode-tool.jsonl').toString().split('\n')
    const parser = createParser(opencode.reader({ mcpServers: [], model: null, used: null }))
    const seen = [...parser.feed(Buffer.from(`${first}\n${second}\n{"type":"text","par`)), ...parser.flush()]
    expect(seen.map(({ type }) => type)).toEqual(['system', 'tool_call', 'tool_result'])
    expect(parser.facts.finished).toBe(false)
  })
})

const sessionID = 'ses_e06cf66d4ffeXYDoLaKtc04wQx'
const event = (type: string, part: object) => ({ type, timestamp: 1, sessionID, part })
const text = (id: string, said: string) => event('text', { id, type: 'text', text: said })
const finish = (reason: string, tokens: object = {}, cost = 0) => event('step_finish', { reason, tokens, cost })
const call = (name: string, state: object, callID = 'c1') =>
  event('tool_use', { type: 'tool', tool: name, callID, state })

/** What is read of these events, the start left out. */
function frames(events: (object | Buffer)[], mcpServers: string[] = [], model: string | null = null) {
  const parser = createParser(opencode.reader({ mcpServers, model, used: null }))
  const lines = events.map((it) => (Buffer.isBuffer(it) ? it : Buffer.from(`${JSON.stringify(it)}\n`)))
  const [start, ...seen] = [...parser.feed(Buffer.concat(lines)), ...parser.flush()]
  return { start, seen, parser }
}

describe('events of opencode', () => {
  it('begin with the one that names the session', () => {
    const { start, seen, parser } = frames(
      [event('step_start', {}), event('step_start', {})],
      ['git'],
      'claude-opus-4-8',
    )
    expect(start).toEqual({
      type: 'system',
      metadata: { subtype: 'init', model: 'claude-opus-4-8', session_id: sessionID },
    })
    expect(seen).toEqual([])
    expect(parser.facts).toMatchObject({ session_id: sessionID, init: { mcp_server_count: 1 }, finished: false })
  })

  it('of a text say what is new in it, and two texts are two paragraphs', () => {
    const { seen, parser } = frames([text('p1', 'He'), text('p1', 'Hello'), text('p1', 'Hello'), text('p2', 'Bye')])
    expect(seen).toEqual([
      { type: 'text', content: 'He' },
      { type: 'text', content: 'llo' },
      { type: 'text', content: '\n\nBye' },
    ])
    expect(parser.facts.result_text).toBe('Bye')
  })

  it('of reasoning are thinking', () =>
    expect(frames([event('reasoning', { id: 'p1', text: 'Let me see' })]).seen).toEqual([
      { type: 'thinking', content: 'Let me see', metadata: { streaming: false } },
    ]))

  it('of a tool are one call and its answer, however often it is told of', () => {
    const input = { command: 'false' }
    const { seen } = frames([
      call('bash', { status: 'pending', input }),
      call('bash', { status: 'running', input }),
      call('bash', { status: 'completed', input, output: 'no', metadata: { exit: 1 } }),
      call('write', { status: 'error', input: {}, error: 'refused' }, 'c2'),
    ])
    const of = (id: string) => ({ tool_use_id: id, tool_id: id, is_error: true })
    expect(seen).toEqual([
      { type: 'tool_call', content: 'bash', metadata: { tool_name: 'bash', tool_id: 'c1', input } },
      { type: 'tool_result', content: 'no', metadata: { ...of('c1'), status: 'completed', exit_code: 1 } },
      { type: 'tool_call', content: 'write', metadata: { tool_name: 'write', tool_id: 'c2', input: {} } },
      { type: 'tool_result', content: 'refused', metadata: { ...of('c2'), status: 'error' } },
    ])
  })

  it.each([
    ['muster_ask_human', 'muster', 'ask_human'],
    ['git_hub_open_issue', 'git hub', 'open_issue'],
    ['git_status', 'git', 'status'],
  ])('of the tool %s name its server', (name, mcp_server, mcp_tool) => {
    const { seen } = frames([call(name, { status: 'running', input: {} })], ['git', 'git hub'])
    expect(seen[0]).toMatchObject({ metadata: { tool_name: name, transport: 'mcp', mcp_server, mcp_tool } })
  })

  it('of steps add up, and what came from the cache counts apart', () => {
    const tokens = { input: 40, output: 7, reasoning: 3, cache: { read: 60, write: 20 } }
    const { seen, parser } = frames([finish('tool-calls', tokens, 0.01), finish('stop', tokens, 0.02)])
    expect(parser.facts).toMatchObject({ finished: true, num_turns: 2, total_cost_usd: 0.03 })
    expect(parser.facts.usage).toEqual({
      input_tokens: 80,
      output_tokens: 20,
      cache_read_input_tokens: 120,
      cache_creation_input_tokens: 40,
      reasoning_output_tokens: 6,
    })
    const usage = { input_tokens: 80, output_tokens: 20, cache_read_input_tokens: 120, reasoning_output_tokens: 6 }
    const told = { subtype: 'success', num_turns: 2, total_cost_usd: 0.03, usage, model_usage: {}, is_error: false }
    expect(seen).toEqual([{ type: 'result', metadata: { ...told, session_id: sessionID } }])
  })

  it('of a model without a price tell none', () => {
    const { seen, parser } = frames([finish('stop', { input: 1, output: 1 })])
    expect(parser.facts.total_cost_usd).toBeNull()
    expect(seen[0]?.metadata).not.toHaveProperty('total_cost_usd')
  })

  it('after an answer take back that it was the last', () =>
    expect(frames([finish('stop'), event('step_start', {})]).parser.facts.finished).toBe(false))

  it.each([
    [{ name: 'APIError', data: { message: 'no', statusCode: 402 } }, 'quota'],
    [{ name: 'APIError', data: { message: 'no', statusCode: 403 } }, 'bad_key'],
    [{ name: 'APIError', data: { message: 'no', statusCode: 404 } }, 'unknown_model'],
    [{ name: 'APIError', data: { message: 'no', statusCode: 429 } }, 'quota'],
    [{ name: 'APIError', data: { message: 'no', statusCode: 529 } }, 'overloaded'],
    [{ name: 'APIError', data: { message: 'no', statusCode: 400 } }, 'rejected'],
    [{ name: 'APIError', data: { message: 'Cannot connect to API: refused' } }, 'unreachable'],
    [{ name: 'ProviderAuthError', data: { message: 'no' } }, 'bad_key'],
    [{ name: 'ContextOverflowError', data: { message: 'no' } }, 'rejected'],
    [{ name: 'UnknownError', data: { message: 'Overloaded' } }, 'overloaded'],
    [{ name: 'UnknownError', data: { message: 'Quota exceeded. Check your plan.' } }, 'quota'],
    [{ name: 'UnknownError', data: { message: 'Model not found: anthropic/x' } }, 'unknown_model'],
    ['Invalid API key', 'bad_key'],
    [{ name: 'UnknownError', data: {} }, 'internal'],
    [null, 'internal'],
  ])('of a failure %j are sorted as %s', (error, kind) => {
    const { seen, parser } = frames([{ type: 'error', sessionID, error }])
    expect(parser.facts.failure?.kind).toBe(kind)
    expect(seen).toMatchObject([{ type: 'result', metadata: { is_error: true } }])
  })

  it('are read where they are long, strange or broken', () => {
    const long = 'x'.repeat(2 * 1024 * 1024)
    const broken = Buffer.concat([
      Buffer.from(`{"type":"text","sessionID":"${sessionID}","part":{"id":"p2","text":"a`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('b"}}\n'),
    ])
    const { seen } = frames([
      { type: 'something_new', sessionID, part: { text: 'never shown' } },
      text('p1', long),
      { type: 'text', sessionID, part: { id: 7, text: ['wrong'] } },
      { type: 'tool_use', sessionID, part: 'wrong' },
      broken,
    ])
    const texts = seen.flatMap((frame) => (frame.type === 'text' ? [frame.content] : []))
    expect(texts).toEqual([long, 'a\ufffd\ufffdb'])
  })
})
