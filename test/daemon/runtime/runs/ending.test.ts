import { describe, expect, it } from 'vitest'
import { problem } from '#kernel/problem'
import type { Run } from '../../../../daemon/features/runs/service.ts'
import type { Verdict } from '../../../../daemon/runtime/adapters/adapter.ts'
import {
  cancelledEarly,
  cancelledInstead,
  endingOf,
  failedEarly,
  lostByRestart,
  parkedOf,
  type Result,
  refused,
} from '../../../../daemon/runtime/runs/ending.ts'
import type { LaunchFacts } from '../../../../daemon/runtime/runs/parts.ts'
import type { Part, Told } from '../../../../daemon/runtime/runs/transcript.ts'

const run = { id: 'r1' } as Run
const command = { cmd: 'client --print', container_id: null, adapter: 'CLIENT', model: 'm1' }
const facts = { command } as LaunchFacts
const done = { type: 'done', content: '', metadata: { trace_id: 'r1' } }
const verdict = (more: Partial<Verdict> = {}): Verdict => ({
  status: 'completed',
  kind: null,
  reason: null,
  exit_code: 0,
  metadata: { num_turns: 2 },
  ...more,
})
const told = (...parts: Part[]): Told => ({ parts, content: 'Hello', toolSummary: 'Bash' })
const text: Part = { type: 'text', content: 'Hello' }
const resultOf = (more: Partial<Result> = {}): Result => ({ verdict: verdict(), told: told(text), facts, ...more })
const noKey = verdict({ status: 'failed', kind: 'bad_key', reason: 'No key', exit_code: 1 })
const noKeyFrame = { type: 'error', content: 'No key', metadata: { reason: 'bad_key', code: 'internal' } } as const

describe('the end of a run', () => {
  it('keeps what the agent said, its command and the number of its last frame', () =>
    expect(endingOf(run, resultOf(), 7)).toEqual({
      ending: {
        outcome: 'COMPLETED',
        agentStatus: 'IDLE',
        exitCode: 0,
        reason: null,
        metadata: { num_turns: 2 },
        message: {
          role: 'assistant',
          content: 'Hello',
          parts: [text],
          toolSummary: 'Bash',
          metadata: { run_id: 'r1', status: 'COMPLETED' },
        },
        command,
        lastFrame: 8,
      },
      tail: [done],
    }))

  it.each([
    ['completed', 'COMPLETED', 'IDLE'],
    ['cancelled', 'CANCELLED', 'IDLE'],
    ['failed', 'FAILED', 'ERROR'],
    ['timeout', 'TIMEOUT', 'ERROR'],
  ] as const)('that is %s is %s and leaves the agent %s', (status, outcome, agentStatus) => {
    const { ending } = endingOf(run, resultOf({ verdict: verdict({ status }) }), 0)
    expect(ending).toMatchObject({ outcome, agentStatus, message: { metadata: { status: outcome } } })
  })

  it('tells a failure behind what was said, in the chat and in the message', () => {
    const { ending, tail } = endingOf(run, resultOf({ verdict: noKey }), 7)
    expect(tail).toEqual([noKeyFrame, done])
    expect(ending).toMatchObject({ reason: 'No key', exitCode: 1, lastFrame: 9 })
    expect(ending.message).toMatchObject({
      role: 'assistant',
      parts: [
        text,
        { type: 'error', content: 'No key', metadata: { reason: 'bad_key', code: 'internal', run_id: 'r1' } },
      ],
    })
  })

  it('does not say twice what the client has said, and says what differs from it', () => {
    const said = (content: string) =>
      endingOf(run, resultOf({ verdict: noKey, told: told(text, { type: 'error', content }) }), 7)
    expect(said('No key')).toMatchObject({ tail: [done], ending: { message: { parts: { length: 2 } }, lastFrame: 8 } })
    expect(said('Slow')).toMatchObject({ tail: [noKeyFrame, done], ending: { message: { parts: { length: 3 } } } })
    const words: Part = { type: 'text', content: 'No key' }
    expect(endingOf(run, resultOf({ verdict: noKey, told: told(words) }), 7).tail).toEqual([noKeyFrame, done])
  })

  it('says itself why the agent said nothing, or keeps no message', () => {
    expect(endingOf(run, resultOf({ verdict: noKey, told: null, facts: null }), 0).ending).toMatchObject({
      command: null,
      message: {
        role: 'system',
        content: 'No key',
        parts: [{ type: 'error', content: 'No key', metadata: { run_id: 'r1' } }],
        metadata: { run_id: 'r1', status: 'FAILED' },
      },
    })
    expect(endingOf(run, resultOf({ told: null }), 0).ending.message).toBeNull()
    expect(endingOf(run, resultOf({ told: told() }), 0).ending.message).toBeNull()
    const wordless = resultOf({ told: told({ type: 'error' }) })
    expect(endingOf(run, wordless, 0).ending.message).toMatchObject({ role: 'system', content: '' })
  })

  it('by a restart is a notice with its reason, and leaves the agent idle', () => {
    const killed = verdict({ status: 'failed', kind: 'killed', reason: 'It is gone', exit_code: null })
    const lost = lostByRestart(resultOf({ verdict: killed, lost: { kind: 'lost', reason: 'gone' } }))
    const reason = 'The server was restarted, and the agent did not survive it'
    const { ending, tail } = endingOf(run, lost, 7)
    expect(ending).toMatchObject({
      outcome: 'FAILED',
      agentStatus: 'IDLE',
      reason,
      payload: { reason: 'server_restart' },
      severity: 'notice',
    })
    expect(tail).toEqual([
      { type: 'error', content: reason, metadata: { reason: 'server_restart', code: 'internal' } },
      done,
    ])
  })
})

describe('a run that waits for a person', () => {
  const asked = { question: 'Which one?', inbox_item_id: 'i1' }
  const waits = { type: 'status', content: 'Waiting for an answer' }
  const end = { type: 'done', content: '', metadata: { trace_id: 'r1', parked: true, inbox_item_id: 'i1' } }

  it('ends its message with the question, apart from the words before it', () =>
    expect(parkedOf(run, resultOf(), asked, 7)).toEqual({
      parked: {
        exitCode: 0,
        metadata: { num_turns: 2 },
        message: {
          role: 'assistant',
          content: 'Hello\n\nWhich one?',
          parts: [text, { type: 'text', content: 'Which one?' }],
          toolSummary: 'Bash',
          metadata: { run_id: 'r1', status: 'PARKED', inbox_item_id: 'i1' },
        },
        command,
        lastFrame: 10,
      },
      tail: [{ type: 'text', content: '\n\nWhich one?' }, waits, end],
    }))

  it('has the question alone where nothing was said, and no errors of a program that was ended', () => {
    const error: Part = { type: 'error', content: 'killed' }
    const { parked, tail } = parkedOf(run, resultOf({ told: told(text, error) }), asked, 0)
    expect(parked.message!.parts).toEqual([text, { type: 'text', content: 'Which one?' }])
    expect(tail[0]).toEqual({ type: 'text', content: 'Which one?' })
    const silent = parkedOf(run, resultOf({ told: null, facts: null }), asked, 0)
    expect(silent.tail[0]).toEqual({ type: 'text', content: 'Which one?' })
    expect(silent.parked).toMatchObject({
      command: null,
      message: { content: 'Which one?', parts: [{ type: 'text', content: 'Which one?' }], toolSummary: null },
    })
  })
})

describe('a run that the server ends', () => {
  it('is cancelled whatever its program came to', () => {
    expect(cancelledEarly).toEqual({
      verdict: { status: 'cancelled', kind: null, exit_code: null, reason: 'Cancelled', metadata: {} },
      told: null,
      facts: null,
    })
    const { error, ...rest } = cancelledInstead(resultOf({ verdict: noKey, error: noKeyFrame }))
    expect(error).toBeUndefined()
    expect(rest).toEqual(resultOf({ verdict: { ...noKey, status: 'cancelled', kind: null, reason: 'Cancelled' } }))
  })

  it('is refused where its crew may store nothing more', () =>
    expect(refused(cancelledEarly, 'The disk is full')).toEqual({
      verdict: { status: 'failed', kind: 'internal', exit_code: null, reason: 'The disk is full', metadata: {} },
      told: null,
      facts: null,
      error: {
        type: 'error',
        content: 'The disk is full',
        metadata: { reason: 'disk_full', code: 'resource_limit' },
      },
    }))

  const fault = (code: string) => Object.assign(new Error('refused'), { code })
  it.each<[string, unknown, string, string, RegExp]>([
    [
      'no engine',
      problem('runtime_unavailable', { detail: 'No engine' }),
      'runtime_unavailable',
      'provision_failed',
      /^No engine$/,
    ],
    [
      'a failing start',
      problem('runtime_failed', { detail: 'No room' }),
      'runtime_failed',
      'provision_failed',
      /^No room$/,
    ],
    ['what is deleted', problem('not_found', { detail: 'Deleted' }), 'not_found', 'internal', /^Deleted$/],
    ['a full disk', fault('SQLITE_FULL'), 'storage_full', 'internal', /^The disk that holds the data is full/],
    [
      'a fault of ours',
      new Error('x is no function'),
      'internal',
      'internal',
      /^The agent could not be started: x is no function$/,
    ],
  ])('fails for %s', (_, error, reason, code, words) => {
    const failed = failedEarly(error, facts)
    expect(failed).toEqual({
      verdict: {
        status: 'failed',
        kind: 'internal',
        exit_code: null,
        metadata: {},
        reason: expect.stringMatching(words),
      },
      told: null,
      facts,
      error: { type: 'error', content: failed.verdict.reason, metadata: { reason, code } },
    })
  })
})
