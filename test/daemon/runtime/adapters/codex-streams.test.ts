import { describe, expect, it } from 'vitest'
import { codex } from '../../../../daemon/runtime/adapters/codex/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { type Expected, exit, readsRecordings } from '../../../support/recordings.ts'

const warning =
  'system warning Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade ' +
  'performance and cause issues.'
const begun = ['system init', warning]
const tool = [...begun, 'tool_call shell', 'tool_result hello\n', 'text Done: command ran.', 'result success']
const completed = { status: 'completed', kind: null }
const said = (text: string, input: number, output: number): Expected => ({
  end: exit(0),
  frames: [...begun, `text ${text}`, 'result success'],
  verdict: { ...completed, metadata: { input_tokens: input, output_tokens: output } },
})
const used: Expected = {
  end: exit(0),
  frames: tool,
  verdict: { ...completed, metadata: { input_tokens: 24, output_tokens: 14 } },
}
const refused = (status: string, path: string) =>
  `unexpected status ${status}, url: http://127.0.0.1:18080/${path}/v1/responses`
const busy = 'We’re currently experiencing high demand, which may cause temporary errors.'
const noNetwork = 'system api_retry Reconnecting... waiting for network (Connection failed: error sending request)'
const noSocket = (attempt: number) =>
  `system api_retry Reconnecting... ${attempt}/5 (unexpected status 404 Not Found: 5c\r\n{"type":"error","error":` +
  '{"type":"not_found_error","message":"mock: no route /v1/responses"}}\r\n0, url: ws://127.0.0.1:18080/v1/responses)'
const stderrLines = [
  'text WARNING: proceeding, even though we could not create PATH aliases: Refusing to create helper binaries under ' +
    'temporary dir "/tmp" (codex_home: AbsolutePathBuf("/box/home/codex/.codex"))\n',
  'text Reading additional input from stdin...\n',
]

const recordings: Record<string, Expected> = {
  codex: used,
  'codex-tool': used,
  'codex-sandbox-ww': used,
  'codex-container': {
    ...used,
    frames: tool.with(
      3,
      `tool_result ${'/bin/bash: warning: setlocale: LC_ALL: cannot change locale (C.UTF-8)\n'.repeat(2)}hello\n`,
    ),
  },
  'codex-plain': said('Hello from mock.', 12, 7),
  'codex-resume': said('Hello from mock.', 36, 21),
  'codex-container-resume': said('Hello from mock.', 36, 21),
  'codex-resume-last': said('Done: command ran.', 72, 42),
  'codex-resume-order': said('Hello from mock.', 48, 28),
  'codex-fork': said('Hello from mock.', 84, 49),
  'codex-tool-default': said('Done: command ran.', 24, 14),
  'codex-tool-ws': said('Done: command ran.', 24, 14),
  'codex-sandbox-ro': said('Done: command ran.', 24, 14),
  'codex-openai-base': {
    end: exit(0),
    frames: [
      'system init',
      ...[2, 3, 4, 5].map(noSocket),
      `system warning Falling back from WebSockets to HTTPS transport. ${noSocket(5).slice(38, -1)}`,
      'text Hello from mock.',
      'result success',
    ],
    verdict: completed,
  },
  'codex-err401': {
    end: exit(1),
    frames: [
      ...begun,
      `system api_retry Reconnecting... 1/1 (${refused('401 Unauthorized: mock error 401', 'err401')})`,
      'result error_during_execution error',
    ],
    verdict: { status: 'failed', kind: 'bad_key', reason: /^The model service refused the key: unexpected status 401/ },
  },
  'codex-err500': {
    end: exit(1),
    frames: [...begun, `system api_retry Reconnecting... 1/1 (${busy})`, 'result error_during_execution error'],
    verdict: { status: 'failed', kind: 'overloaded', reason: `The model service is overloaded: ${busy}` },
  },
  'codex-down': {
    end: { kind: 'signal', signal: 'SIGTERM' },
    frames: [...begun, ...Array.from({ length: 5 }, () => noNetwork)],
    verdict: { status: 'failed', kind: 'unreachable' },
  },
  'codex-sigint': {
    end: exit(1),
    frames: begun,
    verdict: {
      status: 'failed',
      kind: 'internal',
      reason: 'The client ended with code 1: Reading additional input from stdin...',
    },
  },
  'codex-sigterm': {
    end: { kind: 'signal', signal: 'SIGTERM' },
    frames: [...stderrLines, ...begun],
    verdict: { status: 'failed', kind: 'killed' },
  },
  'codex-resume-missing': {
    end: exit(1),
    frames: [],
    verdict: {
      status: 'failed',
      kind: 'resume_missing',
      reason: /^The session to go on with is gone: Error: thread\/resume/,
    },
  },
  'codex-norepo': {
    end: exit(1),
    frames: [],
    verdict: {
      status: 'failed',
      kind: 'internal',
      reason: /^The client ended with code 1: Not inside a trusted directory/,
    },
  },
}

describe('recordings of codex', () => {
  readsRecordings('codex', codex, recordings)
})

/** What is read of these events, the start left out. */
function frames(events: object[], more: Partial<Parameters<typeof codex.reader>[0]> = {}) {
  const parser = createParser(codex.reader({ mcpServers: [], model: 'gpt-5', used: null, ...more }))
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  return { seen: [...parser.feed(Buffer.from(lines)), ...parser.flush()], parser }
}
const item = (over: boolean, it: object) => ({
  type: over ? 'item.completed' : 'item.started',
  item: { id: 'i1', ...it },
})
const usage = (
  input_tokens: number,
  cached_input_tokens: number,
  output_tokens: number,
  reasoning_output_tokens: number,
) => ({
  type: 'turn.completed',
  usage: { input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens },
})

describe('events of codex', () => {
  it('of a session name it and the model that it was started with', () => {
    const { seen, parser } = frames([{ type: 'thread.started', thread_id: 't1' }])
    expect(seen).toEqual([{ type: 'system', metadata: { subtype: 'init', model: 'gpt-5', session_id: 't1' } }])
    expect(parser.facts.init).toMatchObject({ model: 'gpt-5' })
  })

  it('of a tool server are a call and its answer', () => {
    const call = { type: 'mcp_tool_call', server: 'muster', tool: 'ask', arguments: { question: 'Why?' } }
    const { seen } = frames([
      item(false, { ...call, status: 'in_progress' }),
      item(true, { ...call, result: { content: [{ type: 'text', text: 'Because' }] }, status: 'completed' }),
      item(true, { ...call, id: 'i2', error: { message: 'gone' }, status: 'failed' }),
    ])
    const metadata = {
      tool_name: 'muster.ask',
      input: { question: 'Why?' },
      transport: 'mcp',
      mcp_server: 'muster',
      mcp_tool: 'ask',
    }
    expect(seen).toEqual([
      { type: 'tool_call', content: 'muster.ask', metadata: { ...metadata, tool_id: 'i1' } },
      { type: 'tool_result', content: 'Because', metadata: { tool_use_id: 'i1', tool_id: 'i1', status: 'completed' } },
      { type: 'tool_call', content: 'muster.ask', metadata: { ...metadata, tool_id: 'i2' } },
      {
        type: 'tool_result',
        content: 'gone',
        metadata: { tool_use_id: 'i2', tool_id: 'i2', is_error: true, status: 'failed' },
      },
    ])
  })

  it('of two messages in a row are two paragraphs', () => {
    const said = (text: string) => item(true, { type: 'agent_message', text })
    const tool = item(true, { type: 'web_search', id: 'i2', query: 'muster' })
    const texts = frames([said('One.'), said('Two.'), tool, said('Three.')]).seen.map((frame) =>
      frame.type === 'text' ? frame.content : frame.type,
    )
    expect(texts).toEqual(['One.', '\n\nTwo.', 'tool_call', 'Three.'])
  })

  it('of a change of files name the files', () => {
    const changes = [{ path: '/output/ada/a.txt', kind: 'add' }]
    const { seen } = frames([item(true, { type: 'file_change', changes, status: 'completed' })])
    expect(seen).toEqual([
      {
        type: 'tool_call',
        content: 'file_edit',
        metadata: { tool_name: 'file_edit', tool_id: 'i1', input: { changes } },
      },
      {
        type: 'tool_result',
        content: 'add /output/ada/a.txt',
        metadata: { tool_use_id: 'i1', tool_id: 'i1', status: 'completed' },
      },
    ])
  })

  it('of a command that failed say so', () => {
    const command = {
      type: 'command_execution',
      command: 'false',
      aggregated_output: '',
      exit_code: 1,
      status: 'failed',
    }
    expect(frames([item(true, command)]).seen.at(-1)).toEqual({
      type: 'tool_result',
      content: '',
      metadata: { tool_use_id: 'i1', tool_id: 'i1', is_error: true, status: 'failed', exit_code: 1 },
    })
  })

  it('of reasoning, searches and plans are told', () => {
    const { seen } = frames([
      item(true, { type: 'reasoning', text: 'Let me see' }),
      item(true, { type: 'web_search', id: 'i2', query: 'muster' }),
      item(true, { type: 'todo_list', items: [{ text: 'Look', completed: true }] }),
      item(true, { type: 'something_new', text: 'never shown' }),
      { type: 'turn.started' },
    ])
    expect(seen).toEqual([
      { type: 'thinking', content: 'Let me see', metadata: { streaming: false } },
      {
        type: 'tool_call',
        content: 'web_search',
        metadata: { tool_name: 'web_search', tool_id: 'i2', input: { query: 'muster' } },
      },
      { type: 'system', metadata: { subtype: 'todo_list', items: [{ text: 'Look', completed: true }] } },
    ])
  })

  it('of usage count what came from the cache apart, and only what is new in a session that goes on', () => {
    expect(frames([usage(100, 60, 7, 3)]).parser.facts.usage).toEqual({
      input_tokens: 40,
      output_tokens: 7,
      cache_read_input_tokens: 60,
      reasoning_output_tokens: 3,
    })
    const used = { input_tokens: 40, output_tokens: 7, cache_read_input_tokens: 60, reasoning_output_tokens: 3 }
    expect(frames([usage(250, 160, 9, 4)], { used }).parser.facts.usage).toEqual({
      input_tokens: 50,
      output_tokens: 2,
      cache_read_input_tokens: 100,
      reasoning_output_tokens: 1,
    })
  })

  it.each([
    ['unexpected status 402 Payment Required: no', 'quota'],
    ['unexpected status 403 Forbidden: no', 'bad_key'],
    ['unexpected status 404 Not Found: no', 'unknown_model'],
    ['unexpected status 529 <unknown status code>: no', 'overloaded'],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'quota'],
    ["You've hit your usage limit.", 'quota'],
    [
      '{"type":"error","error":{"type":"invalid_request_error","message":"Unknown parameter"},"status":400}',
      'rejected',
    ],
    ['{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it."}}', 'unknown_model'],
    ['stream disconnected before completion: connection reset', 'unreachable'],
    ['something else', 'internal'],
  ])('of a failure "%s" are sorted as %s', (message, kind) => {
    const { parser } = frames([{ type: 'turn.failed', error: { message } }])
    expect(parser.facts.failure?.kind).toBe(kind)
  })

  it('of a network that is gone end the run, for the client would try for ever', () => {
    const again = {
      type: 'error',
      message: 'Reconnecting... waiting for network (Connection failed: error sending request)',
    }
    expect(frames(Array.from({ length: 7 }, () => again)).parser.abort).toBeNull()
    expect(frames(Array.from({ length: 8 }, () => again)).parser.abort?.kind).toBe('unreachable')
  })

  it('of a refused key end the run at the second try', () => {
    const again = (n: number) => ({
      type: 'error',
      message: `Reconnecting... ${n}/5 (unexpected status 401 Unauthorized: no)`,
    })
    expect(frames([again(1)]).parser.abort).toBeNull()
    expect(frames([again(1), again(2)]).parser.abort?.kind).toBe('bad_key')
  })
})
