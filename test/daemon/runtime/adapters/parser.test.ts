import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentFrame } from '#contract/frames'
import { createReader } from '../../../../daemon/runtime/adapters/claude-code/read.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { judge } from '../../../../daemon/runtime/adapters/verdict.ts'
import { init, result } from '../../../support/claude-lines.ts'

const folder = new URL('../../../fixtures/streams/', import.meta.url)
const recordings = readdirSync(folder)
  .filter((name) => /^claude.*jsonl$/.test(name))
  .map((name) => readFileSync(new URL(name, folder)))

/** All frames of a text, fed in pieces that end at `cuts`. */
function parse(bytes: Buffer, cuts: number[] = [], secrets: string[] = [], limit?: number) {
  const parser = createParser(createReader({ mcpServers: [] }), secrets, { limit })
  const ends = [...new Set([...cuts, bytes.length])].sort((a, b) => a - b)
  const frames = ends.flatMap((end, n) => parser.feed(bytes.subarray(ends[n - 1] ?? 0, end)))
  return { frames: [...frames, ...parser.flush()], facts: parser.facts, abort: parser.abort }
}
const parseText = (...lines: (string | object)[]) =>
  parse(Buffer.from(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')))

const delta = (text: string, speaker: string | null = null) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  parent_tool_use_id: speaker,
})
const call = (command: string, speaker: string | null = null) => ({
  type: 'assistant',
  message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command } }] },
  parent_tool_use_id: speaker,
})

describe('a parser', () => {
  it('counts the frames that it has given', () => {
    const parser = createParser(createReader({ mcpServers: [] }))
    expect(parser.emitted).toBe(0)
    const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }
    const line = { type: 'assistant', message: { id: 'm', content: [call] } }
    parser.feed(Buffer.from(`${JSON.stringify(line)}\n`))
    expect(parser.emitted).toBe(1)
  })

  it('gives the same frames and facts wherever the bytes are cut', () => {
    const secrets = ['Hello from mock', 'I will run the', 'claude-opus-4-8']
    fc.assert(
      fc.property(
        fc.constantFrom(...recordings),
        fc.array(fc.nat(20_000), { maxLength: 40 }),
        fc.boolean(),
        (bytes, cuts, scrub) => {
          const known = scrub ? secrets : []
          const inside = cuts.filter((cut) => cut < bytes.length)
          expect(parse(bytes, inside, known)).toEqual(parse(bytes, [], known))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('keeps characters whole that a cut goes through', () => {
    const bytes = Buffer.from(`${JSON.stringify(delta('héllo 👩‍🚀'))}\n`)
    for (let cut = 1; cut < bytes.length; cut++)
      expect(parse(bytes, [cut]).frames).toEqual([{ type: 'text', content: 'héllo 👩‍🚀' }])
  })

  it('passes on what is not of the protocol as text', () => {
    const lines = ['npm warn something', '12', '[1]', '"quoted"', '{"no":"type"}', '{"type":7}', '{broken']
    expect(parseText(...lines).frames).toEqual([
      { type: 'text', content: 'npm warn something\n' },
      { type: 'text', content: '12\n' },
      { type: 'text', content: '[1]\n' },
      { type: 'text', content: '"quoted"\n' },
      { type: 'text', content: '{"no":"type"}\n' },
      { type: 'text', content: '{broken\n' },
    ])
  })

  it('takes a line for text that is nested too deep to be walked', () => {
    const nested = (depth: number) =>
      JSON.stringify(call('x')).replace('"x"', `${'['.repeat(depth)}"]"${']'.repeat(depth)}`)
    expect(parseText(nested(400)).frames).toMatchObject([{ type: 'tool_call' }])
    const [frame] = parse(Buffer.from(`${nested(200_000)}\n`), [], ['a-secret-that-makes-it-search']).frames
    expect(frame).toEqual({ type: 'text', content: `${nested(200_000)}\n` })
  })

  it('reads a last line without its newline, but not half a protocol line', () => {
    expect(parse(Buffer.from('a warning')).frames).toEqual([{ type: 'text', content: 'a warning\n' }])
    expect(parse(Buffer.from(JSON.stringify(delta('all')))).frames).toEqual([{ type: 'text', content: 'all' }])
    expect(parse(Buffer.from('{"type":"stream_ev')).frames).toEqual([])
  })

  it('skips a line over the limit, says so, and goes on', () => {
    const bytes = Buffer.from(`${'x'.repeat(500)}\n${JSON.stringify(delta('after'))}\n${'y'.repeat(300)}`)
    const whole = parse(bytes, [], [], 200).frames
    expect(whole).toEqual([
      {
        type: 'system',
        content: 'A line of 500 bytes was left out',
        metadata: { subtype: 'line_too_long', bytes: 500 },
      },
      { type: 'text', content: 'after' },
      {
        type: 'system',
        content: 'A line of 300 bytes was left out',
        metadata: { subtype: 'line_too_long', bytes: 300 },
      },
    ])
    expect(parse(bytes, [100, 200, 201, 450, 499, 500, 501, 700], [], 200).frames).toEqual(whole)
  })

  it('takes lines of up to 16 MB', () => {
    const long = 'x'.repeat(15 * 1024 * 1024)
    const { frames } = parse(Buffer.from(`${JSON.stringify(delta(long))}\n`), [1_000_000, 9_000_000])
    expect(frames[0]).toEqual({ type: 'text', content: long })
  })

  it.each<[string, object, AgentFrame[]]>([
    ['content as a text', { type: 'assistant', message: { content: 'plain' } }, [{ type: 'text', content: 'plain' }]],
    ['no message', { type: 'assistant', message: 5 }, []],
    [
      'blocks of other types',
      { type: 'assistant', message: { content: [null, 3, 'x', { type: 'text', text: 7 }] } },
      [{ type: 'text', content: '7' }],
    ],
    [
      'a number for an id, no input',
      { type: 'assistant', message: { content: [{ type: 'tool_use', id: 4, name: 'Read' }] } },
      [{ type: 'tool_call', content: 'Read', metadata: { tool_name: 'Read', tool_id: '4', input: {} } }],
    ],
    [
      'an object for an output',
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content: { rows: 2 }, is_error: 'yes' }] },
      },
      [{ type: 'tool_result', content: '{"rows":2}', metadata: { tool_use_id: 't', tool_id: 't' } }],
    ],
    [
      'no output',
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't' }] } },
      [{ type: 'tool_result', content: '', metadata: { tool_use_id: 't', tool_id: 't' } }],
    ],
    [
      'lists for numbers',
      { type: 'system', subtype: 'init', tools: 'all', mcp_servers: 3, model: ['m'] },
      [{ type: 'system', metadata: { subtype: 'init', model: '', session_id: '', tools: [] } }],
    ],
    [
      'a result with nothing right',
      { type: 'result', usage: [], modelUsage: 1, duration_ms: '5', permission_denials: {}, is_error: 1, result: {} },
      [
        {
          type: 'result',
          metadata: {
            subtype: '',
            duration_ms: 0,
            num_turns: 0,
            usage: { input_tokens: 0, output_tokens: 0 },
            model_usage: {},
            is_error: false,
            session_id: '',
          },
        },
      ],
    ],
    ['an unknown type', { type: 'brand_new', content: 'x' }, []],
    [
      'all that clients show of a start',
      {
        ...init,
        skills: ['debug', 5],
        mcp_servers: [
          { name: 'files', status: 'connected', secret: 'x' },
          { name: 'web', status: 'failed' },
        ],
      },
      [
        {
          type: 'system',
          metadata: {
            subtype: 'init',
            model: 'scripted-1',
            session_id: 's1',
            tools: ['Bash', 'Read'],
            claude_code_version: '2.1.197',
            apiKeySource: 'ANTHROPIC_API_KEY',
            permissionMode: 'bypassPermissions',
            cwd: '/output/ada',
            skills: ['debug'],
            mcp_servers: [
              { name: 'files', status: 'connected' },
              { name: 'web', status: 'failed' },
            ],
            mcp_server_errors: [{ name: 'web', type: 'failed' }],
          },
        },
      ],
    ],
    [
      'what was read from a cache, and what went wrong',
      result({
        is_error: true,
        usage: { input_tokens: 30, output_tokens: 12, cache_read_input_tokens: 7 },
        errors: ['No conversation found', { not: 'text' }],
      }),
      [
        expect.objectContaining({
          metadata: expect.objectContaining({
            usage: { input_tokens: 30, output_tokens: 12, cache_read_input_tokens: 7 },
            errors: ['No conversation found'],
          }),
        }),
      ],
    ],
    [
      'a picture',
      {
        type: 'assistant',
        message: {
          id: 'm',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } }],
        },
      },
      [{ type: 'image', content: 'iVBORw0=', metadata: { media_type: 'image/png' } }],
    ],
  ])('does not stumble over %s', (_, line, frames) => expect(parseText(line).frames).toEqual(frames))

  it('never throws, whatever JSON a line holds', () => {
    const types = fc.constantFrom('assistant', 'user', 'system', 'result', 'stream_event', 'tool')
    const members = fc.dictionary(
      fc.constantFrom(
        'message',
        'event',
        'subtype',
        'usage',
        'tools',
        'mcp_servers',
        'error',
        'permission_denials',
        'errors',
        'result',
        'is_error',
      ),
      fc.jsonValue(),
    )
    const contents = fc.array(
      fc.record(
        {
          type: fc.constantFrom('text', 'tool_use', 'tool_result', 'image', 'thinking'),
          content: fc.jsonValue(),
          text: fc.jsonValue(),
          input: fc.jsonValue(),
          source: fc.jsonValue(),
        },
        { requiredKeys: ['type'] },
      ),
    )
    fc.assert(
      fc.property(types, members, contents, (type, line, content) => {
        parseText({ ...line, type })
        parseText({ ...line, type, message: { ...content, id: 'm', content } })
      }),
      { numRuns: 300 },
    )
  })

  it('does not say twice what it streamed, and says what it did not', () => {
    const start = { type: 'stream_event', event: { type: 'message_start', message: { id: 'm1' } } }
    const whole = (id: string, text: string) => ({
      type: 'assistant',
      message: { id, content: [{ type: 'text', text }] },
    })
    const { frames } = parseText(start, delta('one'), whole('m1', 'one'), whole('m2', 'two'))
    expect(frames.map((frame) => 'content' in frame && frame.content)).toEqual(['one', 'two'])
  })

  it.each([
    ['a text', delta('Hi'), true],
    ['a call', call('ls'), true],
    ['its beginning', init, false],
  ])('knows whether the agent has done anything: %s', (_, line, produced) =>
    expect(parseText(line).facts.produced).toBe(produced),
  )

  it('asks for the end at the fifth identical call in a row, counted for each speaker', () => {
    expect(parseText(...Array.from({ length: 4 }, () => call('ls'))).abort).toBeNull()
    expect(parseText(...Array.from({ length: 5 }, () => call('ls'))).abort).toMatchObject({ kind: 'tool_loop' })
    expect(parseText(...Array.from({ length: 9 }, (_, n) => call(n % 2 ? 'ls' : 'pwd'))).abort).toBeNull()
    expect(parseText(...Array.from({ length: 8 }, (_, n) => call('ls', n % 2 ? 'sub' : null))).abort).toBeNull()
    expect(parseText(...Array.from({ length: 10 }, (_, n) => call('ls', n % 2 ? 'sub' : null))).abort).toMatchObject({
      kind: 'tool_loop',
    })
  })

  it('keeps a failure although a later result is good', () => {
    const bad = { type: 'result', subtype: 'success', is_error: true, api_error_status: 529, result: 'Overloaded' }
    const good = { type: 'result', subtype: 'success', is_error: false, result: 'fine' }
    const { facts } = parseText(bad, good)
    expect(facts).toMatchObject({ failure: { kind: 'overloaded', reason: 'Overloaded' }, result_text: 'fine' })
    const ending = { end: { kind: 'exit' as const, code: 0, timedOut: false }, stderr: '', cancelled: false }
    expect(judge({ facts, abort: null, clean: (it) => it }, ending, () => null).status).toBe('failed')
  })

  it('forgets a complaint of the model service that the client got over', () => {
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 5,
      error_status: 529,
      error: 'overloaded',
    }
    const start = { type: 'stream_event', event: { type: 'message_start', message: { id: 'm1' } } }
    expect(parseText(retry).facts.complaint).toMatchObject({ kind: 'overloaded' })
    expect(parseText(retry, start).facts.complaint).toBeNull()
  })

  it('goes by the name of a complaint that has no status', () => {
    const refused = {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'text', text: 'You have hit your limit' }] },
      error: 'rate_limit',
    }
    const { frames, facts } = parseText(refused, {
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: 'You have hit your limit',
    })
    expect(frames.map(({ type }) => type)).toEqual(['result'])
    expect(facts.failure).toEqual({ kind: 'quota', reason: 'You have hit your limit' })
  })

  it('fails a run for the first error that a client reports', () => {
    const parser = createParser((line, { frame }) => frame({ type: 'error', content: String(line['why']) }))
    parser.feed(Buffer.from('{"type":"e","why":"first"}\n{"type":"e","why":"second"}\n'))
    expect(parser.facts.failure).toEqual({ kind: 'internal', reason: 'first' })
  })

  it('does not keep back the last letters of a block that is complete', () => {
    const parser = createParser(createReader({ mcpServers: [] }), ['sk-ant-api03-abcdef'])
    const stop = { type: 'stream_event', event: { type: 'content_block_stop' } }
    expect(parser.feed(Buffer.from(`${JSON.stringify(delta('It works'))}\n`))).toEqual([
      { type: 'text', content: 'It work' },
    ])
    expect(parser.feed(Buffer.from(`${JSON.stringify(stop)}\n`))).toEqual([{ type: 'text', content: 's' }])
  })

  it('adds up what was spent when no result tells it', () => {
    const start = (id: string, input: number) => ({
      type: 'stream_event',
      event: { type: 'message_start', message: { id, usage: { input_tokens: input, output_tokens: 1 } } },
    })
    const end = (output: number) => ({
      type: 'stream_event',
      event: { type: 'message_delta', usage: { output_tokens: output } },
    })
    expect(parseText(start('a', 10), end(5), start('b', 20), end(7)).facts.usage).toEqual({
      input_tokens: 30,
      output_tokens: 12,
    })
  })

  it('caps reasons at 300 characters', () => {
    const { facts } = parseText({ type: 'result', is_error: true, result: '👩‍🚀 x'.repeat(200) })
    expect([...facts.failure!.reason]).toHaveLength(300)
    const verdict = judge(
      { facts, abort: null, clean: (it) => it },
      { end: { kind: 'exit', code: 1, timedOut: false }, stderr: '', cancelled: false },
      () => null,
    )
    expect([...verdict.reason!]).toHaveLength(300)
  })

  it('hides what is offered in a call, however short, and from then on everywhere', () => {
    const offers = (value: string) => ({
      type: 'assistant',
      message: {
        id: 'm',
        content: [
          {
            type: 'tool_use',
            id: 't',
            name: 'escalate',
            input: { type: 'CREDENTIAL', metadata: { name: 'n', value } },
          },
        ],
      },
    })
    const { frames } = parseText(offers('abc'), offers('ghp_offered_4711'), delta('It is ghp_offered_4711. '))
    expect(frames.filter(({ type }) => type === 'tool_call')).toMatchObject([
      { metadata: { input: { type: 'CREDENTIAL', metadata: '[redacted]' } } },
      { metadata: { input: { type: 'CREDENTIAL', metadata: '[redacted]' } } },
    ])
    expect(frames.filter(({ type }) => type === 'text')).toMatchObject([{ content: 'It is [redacted]. ' }])
  })

  it('keeps secrets out of what it knows and what it decides', () => {
    const secret = 'sk-ant-api03-abcdefghijklmnop'
    const line = { type: 'result', is_error: true, result: `${'x'.repeat(285)} ${secret}` }
    const parser = createParser(createReader({ mcpServers: [] }), [secret])
    parser.feed(Buffer.from(`${JSON.stringify(line)}\n`))
    expect(JSON.stringify(parser.facts)).not.toContain('sk-ant')
    const ending = {
      end: { kind: 'exit' as const, code: 1, timedOut: false },
      stderr: `boom ${secret}`,
      cancelled: false,
    }
    const { clean } = parser
    const { facts, abort } = createParser(createReader({ mcpServers: [] }))
    expect(judge({ facts, abort, clean }, ending, () => null).reason).toBe(
      'The client ended with code 1: boom [redacted]',
    )
  })
})
