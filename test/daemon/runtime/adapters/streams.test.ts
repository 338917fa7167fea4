import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../../daemon/runtime/adapters/claude-code/index.ts'
import { createParser } from '../../../../daemon/runtime/adapters/parser.ts'
import { judge } from '../../../../daemon/runtime/adapters/verdict.ts'
import { type Expected, exit, readsRecordings, recording } from '../../../support/recordings.ts'

const init = 'system init'
const tool = [
  init,
  'text I will run the command.',
  'tool_call Bash',
  'tool_result hello',
  'text Done: command ran.',
  'result success',
]
const hello = [init, 'text Hello from mock.', 'result success']
const completed = { status: 'completed', kind: null }
const ok = { end: exit(0), frames: tool, verdict: completed }
const greeted = { end: exit(0), frames: hello, verdict: completed }
const rootRefused = {
  end: exit(1),
  frames: [],
  verdict: {
    status: 'failed',
    kind: 'root_refused',
    reason: /does not run as root: --dangerously-skip-permissions cannot be used with root/,
  },
}
const refused = (kind: string, reason: RegExp, retries: string[] = []) => ({
  end: exit(1),
  frames: [init, ...retries, 'result success error'],
  verdict: { status: 'failed', kind, reason },
})
const retry = (answer: string, n: number, of: number) =>
  `system api_retry The model service ${answer}; retry ${n} of ${of}`
const bash = (output: string) => ['tool_call Bash', `tool_result ${output}`]

/**
 * What must come out of each recording of the real client: in older ones without partial messages, in
 * `claude-partial-*` with.
 */
const recordings: Record<string, Expected> = {
  claude: {
    ...ok,
    verdict: {
      ...completed,
      metadata: { cli_version: '2.1.197', input_tokens: 24, output_tokens: 14, total_cost_usd: 0.00047, num_turns: 2 },
    },
  },
  'claude-tool': ok,
  'claude-allowed': ok,
  'claude-bare': ok,
  'claude-container': ok,
  'claude-container-unixsock': ok,
  'claude-latest-tool': {
    ...ok,
    verdict: { ...completed, metadata: { cli_version: '2.1.329', model: 'claude-opus-5-5' } },
  },
  'claude-plain': greeted,
  'claude-stdin': greeted,
  'claude-skip-sandbox': greeted,
  'claude-continue': greeted,
  'claude-resume': greeted,
  'claude-resume-fork': greeted,
  'claude-container-resume': greeted,
  'claude-latest-resume': {
    ...greeted,
    verdict: { ...completed, metadata: { session_id: '95c3264a-fc41-4c7b-aafe-c08f62a60701' } },
  },
  'claude-partial': greeted,
  'claude-denied': {
    end: exit(0),
    frames: [
      init,
      'text I will run the command.',
      'tool_call Bash',
      expect.stringMatching(/^tool_result error Output redirection to '\/output\/agent\/out.txt' was blocked/),
      'text Done: command ran.',
      'result success',
    ],
    verdict: {
      status: 'completed',
      kind: 'refused_tool',
      reason: 'The client refused Bash',
      metadata: { permission_denials: [{ tool_name: 'Bash', count: 1 }] },
    },
  },
  'claude-down': refused(
    'unreachable',
    /cannot be reached: API Error: Unable to connect to API \(ConnectionRefused\)$/,
    [retry('did not answer', 1, 1)],
  ),
  'claude-err401': {
    // Recorded with ten retries and ended by hand: the parser asks for the end at the second.
    end: exit(143),
    frames: [init, ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => retry('answered 401 (authentication_failed)', n, 10))],
    verdict: {
      status: 'failed',
      kind: 'bad_key',
      reason: 'The model service refused the key: The model service answered 401 (authentication_failed)',
    },
    abort: 'bad_key',
  },
  'claude-err529': refused('overloaded', /is overloaded: API Error: 529 mock error 529/, [
    retry('answered 529 (overloaded)', 1, 1),
  ]),
  'claude-latest-root': rootRefused,
  'claude-mode-bypass': rootRefused,
  'claude-skip-root': rootRefused,
  'claude-resume-missing': {
    end: exit(1),
    frames: ['result error_during_execution error'],
    verdict: {
      status: 'failed',
      kind: 'resume_missing',
      reason: /^The session to go on with is gone: No conversation found/,
    },
  },
  'claude-sigint': {
    end: exit(0),
    frames: [init, 'result error_during_execution error'],
    verdict: { status: 'failed', kind: 'killed', reason: 'The run was interrupted' },
  },
  'claude-sigterm': {
    end: exit(143),
    frames: [init],
    verdict: { status: 'failed', kind: 'killed', reason: "The agent's process was ended by SIGTERM" },
  },

  'claude-partial-thinking': {
    end: exit(0),
    frames: [init, 'thinking Let me think', 'text It is ', 'text done', 'text .', 'result success'],
    verdict: completed,
  },
  'claude-partial-tool-failed': {
    end: exit(0),
    frames: [init, 'tool_call Bash', 'tool_result error 3 Exit code 3\nout\nbad', 'text It failed.', 'result success'],
    verdict: completed,
  },
  'claude-partial-tools-parallel': {
    end: exit(0),
    frames: [
      init,
      'tool_call Bash',
      'tool_call Bash',
      expect.stringMatching(/^tool_result [12]$/),
      expect.stringMatching(/^tool_result [12]$/),
      'text Both ran.',
      'result success',
    ],
    verdict: completed,
  },
  'claude-partial-image': {
    end: exit(0),
    frames: [
      init,
      ...bash('(Bash completed with no output)'),
      'tool_call Read',
      'tool_result [image]',
      'text A dot.',
      'result success',
    ],
    verdict: completed,
  },
  'claude-partial-subagent': {
    end: exit(0),
    frames: [
      init,
      'text delegating',
      'tool_call Task',
      'tool_call subagent Bash',
      'tool_result subagent sub',
      expect.stringMatching(/^tool_result sub done\nagentId: /),
      'text all done',
      'result success',
    ],
    verdict: completed,
  },
  'claude-partial-mcp': {
    end: exit(0),
    frames: [init, 'tool_call shouter mcp__shouter__shout', 'tool_result HEY mark', 'text Shouted.', 'result success'],
    verdict: completed,
    mcpServers: ['shouter'],
  },
  'claude-partial-mcp-broken': {
    end: exit(0),
    frames: [init, 'text No tools.', 'result success'],
    verdict: {
      ...completed,
      metadata: {
        mcp_server_errors: [
          { name: 'gone', type: 'failed' },
          { name: 'odd', type: 'skipped' },
        ],
      },
    },
    mcpServers: ['gone', 'odd', 'shouter'],
  },
  'claude-partial-turn-cap': {
    end: exit(1),
    frames: [init, 'text run', ...bash('0'), 'text run', ...bash('1'), 'result error_max_turns error'],
    verdict: {
      status: 'failed',
      kind: 'turn_cap',
      reason: 'The agent used up its turns: Reached maximum number of turns (2)',
    },
  },
  'claude-partial-tool-loop': {
    // The recording was left to go on; live, the run is ended when the parser asks for it.
    end: exit(143),
    frames: [init, ...Array.from({ length: 6 }, () => bash('again')).flat(), 'text x', 'result success'],
    verdict: {
      status: 'failed',
      kind: 'tool_loop',
      reason: 'The agent called Bash 5 times in a row with the same input',
    },
    abort: 'tool_loop',
  },
  'claude-partial-unknown-model': refused(
    'unknown_model',
    /^The model is not available: There's an issue with the selected model \(claude-nope-1\)/,
  ),
  'claude-partial-too-long': refused('rejected', /^The model service rejected the request: Prompt is too long/),
  'claude-partial-no-credit': refused('quota', /^The credential has no quota left: Credit balance is too low$/),
  'claude-partial-rate-limit': refused('quota', /Request rejected \(429\)/, [retry('answered 429 (rate_limit)', 1, 1)]),
  'claude-partial-bad-key': {
    ...refused(
      'bad_key',
      /^The model service refused the key: /,
      [1, 2, 3].map((n) => retry('answered 401 (authentication_failed)', n, 3)),
    ),
    abort: 'bad_key',
  },
  'claude-partial-forbidden': refused('bad_key', /API Error: 403/),
  'claude-partial-no-key': refused('bad_key', /Not logged in/),
  'claude-partial-broken-stream': {
    end: exit(1),
    frames: [init, 'text Half an answ', 'result success error'],
    verdict: { status: 'failed', kind: 'overloaded', reason: 'The model service is overloaded: API Error: Overloaded' },
  },
  'claude-partial-recovered': {
    end: exit(0),
    frames: [init, retry('answered 529 (overloaded)', 1, 1), 'text Back again.', 'result success'],
    verdict: completed,
  },
  'claude-partial-oauth': {
    end: exit(0),
    frames: [init, 'text Hello.', 'result success'],
    verdict: { ...completed, metadata: { api_key_source: 'none' } },
  },
  'claude-partial-term-midway': {
    end: exit(143),
    frames: [init, 'text Working'],
    verdict: { status: 'failed', kind: 'killed', metadata: { input_tokens: 12, output_tokens: 1 } },
  },
  'claude-partial-interrupt-midway': {
    end: exit(0),
    frames: [init, 'text Working', 'result error_during_execution error'],
    verdict: { status: 'failed', kind: 'killed' },
  },
  'claude-partial-bad-mcp-file': {
    end: exit(1),
    frames: [],
    verdict: {
      status: 'failed',
      kind: 'bad_config',
      reason: /could not read its configuration: Error: Invalid MCP configuration: MCP config is not a valid JSON$/,
    },
  },
}

describe('recordings of claude', () => {
  readsRecordings('claude', claudeCode, recordings)

  it('are cancelled, not failed, when somebody asked for the end', () => {
    const parser = createParser(claudeCode.reader({ mcpServers: [], model: null, used: null }))
    parser.feed(recording('claude-partial-term-midway.jsonl'))
    const ending = { end: exit(143), stderr: '', cancelled: true }
    expect(judge(parser, ending, claudeCode.stderrFailure)).toMatchObject({
      status: 'cancelled',
      kind: null,
      exit_code: 143,
    })
  })
})
