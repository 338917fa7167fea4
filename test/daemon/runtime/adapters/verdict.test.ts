import { describe, expect, it } from 'vitest'
import type { Facts, Failure, Verdict } from '../../../../daemon/runtime/adapters/adapter.ts'
import { errorFrame, judge } from '../../../../daemon/runtime/adapters/verdict.ts'
import type { RunEnd } from '../../../../daemon/runtime/types.ts'

const good: Facts = {
  init: null,
  session_id: null,
  usage: { input_tokens: 3, output_tokens: 4 },
  total_cost_usd: null,
  duration_ms: null,
  num_turns: null,
  result_text: null,
  permission_denials: [],
  left_out: null,
  produced: true,
  finished: true,
  failure: null,
  complaint: null,
}
const init = {
  model: 'm1',
  cli_version: '',
  api_key_source: 'env',
  permission_mode: 'default',
  mcp_server_errors: [] as { name: string; type: string }[],
} as NonNullable<Facts['init']>
const exit = (code: number, timedOut = false): RunEnd => ({ kind: 'exit', code, timedOut })
const complaint: Failure = { kind: 'overloaded', reason: 'try later' }

function judged(
  facts: Partial<Facts>,
  end = exit(0),
  { cancelled = false, stderr = '', said = null as Failure | null, abort = null as Failure | null } = {},
): Verdict {
  const parser = { facts: { ...good, ...facts }, abort, clean: <T>(it: T) => it }
  return judge(parser, { end, stderr, cancelled }, () => said)
}

describe('a verdict', () => {
  it.each<[string, Verdict, string, string | null, string | null]>([
    ['a good end', judged({}), 'completed', null, null],
    ['a cancelled run', judged({}, exit(1, true), { cancelled: true }), 'cancelled', null, 'Cancelled'],
    ['a run that is over time', judged({}, exit(124, true)), 'timeout', 'timeout', 'The run took longer than it may'],
    ['no word', judged({ produced: false }), 'failed', 'no_output', 'The agent gave no answer'],
    ['a last word only', judged({ produced: false, result_text: 'ok' }), 'completed', null, null],
    [
      'no word but a long line',
      judged({ produced: false, left_out: { lines: 2, bytes: 9 } }),
      'failed',
      'no_output',
      'The agent gave no answer; lines of its output that were left out for their length: 2',
    ],
    [
      'a turn that is not over',
      judged({ init, finished: false }),
      'failed',
      'internal',
      'The client ended before its turn was over',
    ],
    ['no turn at all', judged({ finished: false }), 'completed', null, null],
    [
      'refused tools',
      judged({
        permission_denials: [
          { tool_name: 'Bash', count: 1 },
          { tool_name: 'Write', count: 2 },
        ],
      }),
      'completed',
      'refused_tool',
      'The client refused Bash, Write',
    ],
    [
      'an abort before a failure',
      judged({ failure: complaint }, exit(0), { abort: { kind: 'bad_key', reason: 'no' } }),
      'failed',
      'bad_key',
      'The model service refused the key: no',
    ],
    ['a failure', judged({ failure: complaint }), 'failed', 'overloaded', 'The model service is overloaded: try later'],
    [
      'a failure that says what it means',
      judged({ failure: { kind: 'quota', reason: 'The credential has no quota left' } }),
      'failed',
      'quota',
      'The credential has no quota left',
    ],
    [
      'a failure without words',
      judged({ failure: { kind: 'quota', reason: '' } }),
      'failed',
      'quota',
      'The credential has no quota left',
    ],
    ['a complaint that was got over', judged({ complaint }), 'completed', null, null],
    [
      'a complaint at a bad end',
      judged({ complaint }, exit(1)),
      'failed',
      'overloaded',
      'The model service is overloaded: try later',
    ],
    [
      'a complaint at a signal',
      judged({ complaint }, exit(143)),
      'failed',
      'overloaded',
      'The model service is overloaded: try later',
    ],
    [
      'what standard error means',
      judged({}, exit(1), { said: { kind: 'bad_config', reason: 'x' } }),
      'failed',
      'bad_config',
      'The client could not read its configuration: x',
    ],
    ['a bad end', judged({}, exit(7)), 'failed', 'internal', 'The client ended with code 7'],
    [
      'a bad end with words',
      judged({}, exit(128), { stderr: 'a\nlast\n' }),
      'failed',
      'internal',
      'The client ended with code 128: last',
    ],
    ['a missing client', judged({}, exit(127)), 'failed', 'client_missing', "The agent's client is not in this image"],
    [
      'a client that cannot run',
      judged({}, exit(126)),
      'failed',
      'client_missing',
      "The agent's client cannot be executed in this image",
    ],
    [
      'a bad token',
      judged({}, exit(123)),
      'failed',
      'bad_key',
      'The model service refused the key: the token of the client is not valid',
    ],
    [
      'SIGKILL',
      judged({}, exit(137)),
      'failed',
      'killed',
      "The agent's process was ended by SIGKILL, perhaps for want of memory",
    ],
    ['SIGTERM', judged({}, exit(143)), 'failed', 'killed', "The agent's process was ended by SIGTERM"],
    ['another signal', judged({}, exit(129 + 20)), 'failed', 'killed', "The agent's process was ended by signal 21"],
    [
      'a named signal',
      judged({}, { kind: 'signal', signal: 'SIGHUP' }),
      'failed',
      'killed',
      "The agent's process was ended by SIGHUP",
    ],
    [
      'a lost process',
      judged({}, { kind: 'lost', reason: 'gone' }),
      'failed',
      'killed',
      "The agent's process is gone: gone",
    ],
  ])('on %s', (_, verdict, status, kind, reason) =>
    expect([verdict.status, verdict.kind, verdict.reason]).toEqual([status, kind, reason]),
  )

  it.each([
    [129, 'SIGHUP'],
    [130, 'SIGINT'],
    [134, 'SIGABRT'],
    [139, 'SIGSEGV'],
    [141, 'SIGPIPE'],
  ])('code %d is the signal %s', (code, signal) =>
    expect(judged({}, exit(code)).reason).toBe(`The agent's process was ended by ${signal}`),
  )

  it('has the exit code, and what is known of the run without empty members', () => {
    expect(judged({}, exit(3)).exit_code).toBe(3)
    expect(judged({}, { kind: 'lost', reason: 'gone' }).exit_code).toBeNull()
    const spent = { input_tokens: 3, output_tokens: 4, usage: good.usage }
    expect(judged({}).metadata).toEqual(spent)
    const errors = [{ name: 'db', type: 'failed' }]
    const denials = [{ tool_name: 'Bash', count: 1 }]
    expect(
      judged({
        init: { ...init, mcp_server_errors: errors },
        permission_denials: denials,
        left_out: { lines: 2, bytes: 9 },
        num_turns: 0,
        session_id: 's1',
      }).metadata,
    ).toEqual({
      ...spent,
      model: 'm1',
      api_key_source: 'env',
      permission_mode: 'default',
      mcp_server_errors: errors,
      permission_denials: denials,
      left_out_lines: 2,
      left_out_bytes: 9,
      num_turns: 0,
      session_id: 's1',
      error_kind: 'refused_tool',
    })
    expect(judged({ init }).metadata).not.toHaveProperty('mcp_server_errors')
  })
})

it.each<[Partial<Verdict>, object | null]>([
  [{ status: 'completed' }, null],
  [{ status: 'cancelled' }, null],
  [
    { kind: 'quota', reason: 'no' },
    { content: 'no', metadata: { reason: 'quota', code: 'capacity' } },
  ],
  [{ kind: 'overloaded' }, { content: 'The run failed', metadata: { reason: 'overloaded', code: 'capacity' } }],
  [{ kind: 'unknown_model' }, { metadata: { code: 'provider_capability' } }],
  [{ kind: 'client_missing' }, { metadata: { code: 'provider_capability' } }],
  [{ kind: 'bad_key' }, { metadata: { reason: 'bad_key', code: 'internal' } }],
  [{ kind: 'refused_tool' }, { metadata: { reason: 'refused_tool', code: 'internal' } }],
  [{ kind: null }, { metadata: { reason: 'internal', code: 'internal' } }],
  [{ status: 'timeout', kind: 'timeout' }, { metadata: { reason: 'timeout', code: 'internal' } }],
])('the chat is told of %j as %j', (verdict, frame) => {
  const told = errorFrame({ status: 'failed', kind: null, reason: null, exit_code: null, metadata: {}, ...verdict })
  if (frame) expect(told).toMatchObject({ type: 'error', ...frame })
  else expect(told).toBeNull()
})
