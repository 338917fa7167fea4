import { describe, expect, it } from 'vitest'
import { gemini } from '../../../../daemon/runtime/adapters/gemini/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { type Expected, exit, readsRecordings, recording } from '../../../support/recordings.ts'

const completed = { status: 'completed', kind: null }
const said = (input: number, output: number): Expected => ({
  end: exit(0),
  frames: ['system init', 'text Hello from mock.', 'result success'],
  verdict: { ...completed, metadata: { input_tokens: input, output_tokens: output } },
})
const used = (input: number, output: number): Expected => ({
  end: exit(0),
  frames: [
    'system init',
    'tool_call run_shell_command',
    'tool_result hello',
    'text Done: command ran.',
    'result success',
  ],
  verdict: { ...completed, metadata: { input_tokens: input, output_tokens: output } },
})
/** Of recordings in which the client did not speak its protocol. */
const asText = (name: string): Expected => ({
  end: exit(0),
  frames: recording(name)
    .toString()
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => `text ${line}\n`),
  verdict: completed,
})
const refusedShell =
  'Tool execution for "Shell" requires user confirmation, which is not supported in non-interactive mode.'

const recordings: Record<string, Expected> = {
  gemini: used(36, 21),
  'gemini-tool': used(36, 21),
  'gemini-tool2': used(24, 14),
  'gemini-tool3': used(24, 14),
  'gemini-tool4': used(36, 21),
  'gemini-container': used(24, 14),
  'gemini-plain': said(24, 14),
  'gemini-denied': said(24, 14),
  'gemini-resume-id': said(24, 14),
  'gemini-resume-latest': said(24, 14),
  'gemini-container-resume': said(12, 7),
  'gemini-allowed': {
    ...used(24, 14),
    frames: used(24, 14).frames.with(2, `tool_result error ${refusedShell}`),
  },
  'gemini-json': asText('gemini-json.jsonl'),
  'gemini-list': asText('gemini-list.jsonl'),
  'gemini-err401': {
    end: exit(145),
    frames: ['system init', 'result error_during_execution error'],
    verdict: { status: 'failed', kind: 'bad_key', reason: 'The model service refused the key: mock error 401' },
  },
  'gemini-err429': {
    end: { kind: 'signal', signal: 'SIGKILL' },
    frames: ['system init'],
    verdict: { status: 'failed', kind: 'killed' },
  },
  'gemini-sigint': {
    end: { kind: 'signal', signal: 'SIGKILL' },
    frames: ['system init'],
    verdict: { status: 'failed', kind: 'killed' },
  },
  'gemini-sigterm': {
    end: exit(0),
    frames: [
      'text Warning: 256-color support not detected. Using a terminal with at least 256-color support is recommended ' +
        'for a better visual experience.\n',
      'text Ripgrep is not available. Falling back to GrepTool.\n',
      "text [STARTUP] Phase 'cleanup_ops' was started but never ended. Skipping metrics.\n",
      "text [STARTUP] Cannot measure phase 'cleanup_ops': start mark 'startup:cleanup_ops:start' not found (likely " +
        'cleared by reset).\n',
      'system init',
    ],
    verdict: { status: 'failed', kind: 'internal', reason: 'The client ended before its turn was over' },
  },
  'gemini-resume-missing': {
    end: exit(42),
    frames: [],
    verdict: {
      status: 'failed',
      kind: 'resume_missing',
      reason:
        'The session to go on with is gone: Error resuming session: Invalid session identifier ' +
        '"99999999-2222-4333-8444-666666666666".',
    },
  },
  'gemini-noauth': {
    end: exit(41),
    frames: [],
    verdict: { status: 'failed', kind: 'bad_key', reason: /you must specify the GEMINI_API_KEY/ },
  },
}

describe('recordings of gemini', () => {
  readsRecordings('gemini', gemini, recordings)
})

const linesOf = (events: object[]) => Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))

/** What is read of these bytes, cut in pieces of so many. */
function read(bytes: Buffer, { servers = [] as string[], piece = bytes.length } = {}) {
  const parser = createParser(gemini.reader({ mcpServers: servers, model: null, used: null }))
  const seen = []
  for (let at = 0; at < bytes.length; at += piece) seen.push(...parser.feed(bytes.subarray(at, at + piece)))
  return { seen: [...seen, ...parser.flush()], parser }
}
const frames = (events: object[], servers: string[] = []) => read(linesOf(events), { servers })

const use = (tool_name: string, parameters: object = {}, tool_id = 'c1') => ({
  type: 'tool_use',
  tool_name,
  tool_id,
  parameters,
})
const words = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true })

describe('output of gemini', () => {
  it('reads the same wherever its bytes are cut', () => {
    const bytes = Buffer.concat([recording('gemini-tool.jsonl'), linesOf([words('héllo 👩‍🚀')])])
    const whole = read(bytes)
    expect(whole.seen).toContainEqual({ type: 'text', content: 'héllo 👩‍🚀' })
    for (const piece of [1, 7, 100]) {
      const cut = read(bytes, { piece })
      expect(cut.seen).toEqual(whole.seen)
      expect(cut.parser.facts).toEqual(whole.parser.facts)
    }
  })

  it('reads lines of megabytes, and none that ends half-way', () => {
    const long = 'x'.repeat(3 * 1024 * 1024)
    const bytes = Buffer.concat([linesOf([words(long)]), Buffer.from('{"type":"message","role":"assis')])
    expect(read(bytes, { piece: 1_000_000 }).seen).toEqual([{ type: 'text', content: long }])
  })

  it('reads bytes that are no UTF-8 as marks of their places', () => {
    const [head, tail] = JSON.stringify(words('a#b')).split('#')
    const bytes = Buffer.concat([Buffer.from(head!), Buffer.from([0xff, 0xc3]), Buffer.from(`${tail}\n`)])
    expect(read(bytes).seen).toEqual([{ type: 'text', content: 'a\ufffd\ufffdb' }])
  })

  it('does not take events that it does not know, or what people said, for words of the agent', () => {
    const { seen } = frames([
      { type: 'thought', content: 'never shown' },
      { type: 'message', role: 'user', content: 'never shown' },
      { type: 'message', role: 'assistant', content: { odd: true } },
      { type: 'usage', stats: 7 },
    ])
    expect(seen).toEqual([])
  })

  it('bears members of wrong types', () => {
    const odd = [1, 'x', null, [], {}, true]
    for (const type of ['init', 'message', 'tool_use', 'tool_result', 'error', 'result'])
      for (const value of odd)
        expect(() =>
          frames([{ type, session_id: value, tool_id: value, error: value, stats: value, output: value }]),
        ).not.toThrow()
  })
})

describe('events of gemini', () => {
  it('of a session name it and its model', () => {
    const { seen, parser } = frames([{ type: 'init', session_id: 's1', model: 'gemini-2.5-pro' }])
    expect(seen).toEqual([{ type: 'system', metadata: { subtype: 'init', model: 'gemini-2.5-pro', session_id: 's1' } }])
    expect(parser.facts).toMatchObject({ session_id: 's1', init: { model: 'gemini-2.5-pro' } })
  })

  it.each([
    ['mcp_muster_ask_human', { transport: 'mcp', mcp_server: 'muster', mcp_tool: 'ask_human' }],
    ['mcp_my_git_log', { transport: 'mcp', mcp_server: 'my_git', mcp_tool: 'log' }],
    ['mcp_my_docs_read', { transport: 'mcp', mcp_server: 'my docs', mcp_tool: 'read' }],
    ['mcp_other_tool', {}],
    ['read_file', {}],
  ])('of a call of %s tell %j', (name, server) => {
    const { seen } = frames([use(name, { a: 1 })], ['my', 'muster', 'my_git', 'my docs'])
    const metadata = { tool_name: name, tool_id: 'c1', input: { a: 1 }, ...server }
    expect(seen).toEqual([{ type: 'tool_call', content: name, metadata }])
  })

  it('of an answer pair it with its call; one without output tells its error', () => {
    const { seen } = frames([
      { type: 'tool_result', tool_id: 'c1', status: 'success' },
      { type: 'tool_result', tool_id: 'c2', status: 'error', error: { type: 'file_not_found', message: 'No file' } },
    ])
    expect(seen).toEqual([
      { type: 'tool_result', content: '', metadata: { tool_use_id: 'c1', tool_id: 'c1', status: 'success' } },
      {
        type: 'tool_result',
        content: 'No file',
        metadata: { tool_use_id: 'c2', tool_id: 'c2', is_error: true, status: 'error' },
      },
    ])
  })

  it('of a refused tool name it', () => {
    const error = { type: 'policy_violation', message: 'Tool execution denied by policy.' }
    const { parser } = frames([
      use('replace', { file_path: 'package.json' }),
      { type: 'tool_result', tool_id: 'c1', status: 'error', error },
    ])
    expect(parser.facts.permission_denials).toEqual([{ tool_name: 'replace', count: 1 }])
  })

  it('of a warning are a note; an error fails the run, whatever comes after it', () => {
    const stats = { input_tokens: 1, output_tokens: 1 }
    const { seen, parser } = frames([
      { type: 'error', severity: 'warning', message: 'Careful' },
      { type: 'error', severity: 'error', message: 'The model returned an empty response.' },
      { type: 'result', status: 'success', stats },
    ])
    expect(seen[0]).toEqual({ type: 'system', content: 'Careful', metadata: { subtype: 'warning' } })
    expect(seen.map(({ type }) => type)).toEqual(['system', 'result'])
    expect(parser.facts.failure).toEqual({ kind: 'internal', reason: 'The model returned an empty response.' })
  })

  it('of the end count what came from the cache apart, and what was thought as output', () => {
    const models = { 'gemini-2.5-flash': { total_tokens: 150 } }
    const stats = { total_tokens: 150, input_tokens: 100, output_tokens: 30, cached: 60, duration_ms: 500, models }
    const { seen, parser } = frames([
      { type: 'init', session_id: 's1', model: 'm' },
      { type: 'result', status: 'success', stats },
    ])
    const usage = { input_tokens: 40, output_tokens: 50, cache_read_input_tokens: 60, reasoning_output_tokens: 20 }
    expect(parser.facts.usage).toEqual(usage)
    expect(seen.at(-1)).toEqual({
      type: 'result',
      metadata: {
        subtype: 'success',
        duration_ms: 500,
        usage,
        model_usage: models,
        is_error: false,
        session_id: 's1',
      },
    })
  })

  it.each([
    ['[API Error: API key not valid. Please pass a valid API key. (Status: INVALID_ARGUMENT)]', 'bad_key'],
    ['[API Error: {"error":{"code":400,"message":"API key expired.","status":"INVALID_ARGUMENT"}}]', 'bad_key'],
    ['[API Error: {"error":{"code":403,"message":"No.","status":"PERMISSION_DENIED"}}]', 'bad_key'],
    ['[API Error: {"error":{"code":400,"message":"Bad argument","status":"INVALID_ARGUMENT"}}]', 'rejected'],
    ['[API Error: {"error":{"code":404,"message":"No model","status":"NOT_FOUND"}}]', 'unknown_model'],
    ['[API Error: {"error":{"code":503,"message":"Later","status":"UNAVAILABLE"}}]', 'overloaded'],
    ['[API Error: {"error":{"code":529,"message":"Later"}}]', 'overloaded'],
    ['[API Error: Quota exceeded (Status: RESOURCE_EXHAUSTED)]\nPlease wait.', 'quota'],
    ['[API Error: You have exhausted your daily quota on this model.]', 'quota'],
    ['[API Error: exception TypeError: fetch failed sending request]', 'unreachable'],
    ['Reached max session turns for this session. Increase the number of turns.', 'turn_cap'],
    ['something else', 'internal'],
  ])('of a failure "%s" are sorted as %s', (message, kind) => {
    const { parser } = frames([{ type: 'result', status: 'error', error: { type: 'unknown', message } }])
    expect(parser.facts.failure?.kind).toBe(kind)
  })

  it('of a failure without words say so', () => {
    const { parser } = frames([{ type: 'result', status: 'error' }])
    expect(parser.facts.failure?.reason).toBe('The client reported an error without saying which')
  })
})
