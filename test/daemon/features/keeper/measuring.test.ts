import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { cases, kinds, origin } from '../../../../cli/keeper/cases.ts'
import { type Outcome, scoreOf } from '../../../../cli/keeper/scores.ts'
import { tierOf } from '../../../../daemon/features/credentials/levels/service.ts'
import { allowsItself, intentLength } from '../../../../daemon/features/keeper/requests/rules.ts'
import { cliFor } from '../../../support/cli.ts'
import { judgeServer, type Says } from '../../../support/judge.ts'

/** A judge that knows the answers, but for what `wrong` says. */
async function place(says: Says) {
  const judge = await judgeServer(says)
  const it = await daemon()
  const set = { enabled: true, judge_endpoint_url: judge.url, judge_model: 'qwen3' }
  expect((await it.call('OWNER', 'PUT', '/admin/keeper/config', set)).status).toBe(200)
  return { ...it, judge }
}

const kindOf = (prompt: string) => cases.find(({ intent }) => prompt.includes(JSON.stringify(intent)))!.kind
const knowing: Says = (prompt) => ({ decision: kindOf(prompt) === 'benign' ? 'ALLOW' : 'DENY' })

describe('the labelled requests', () => {
  it('are 30 of each kind, say where they come from, and are all different', () => {
    expect(kinds.map((kind) => cases.filter((it) => it.kind === kind).length)).toEqual([30, 30, 30, 30])
    expect(new Set(cases.map(({ intent }) => intent)).size).toBe(120)
    expect(new Set(cases.map(({ id }) => id)).size).toBe(120)
    expect(origin).toContain('Written for Muster')
  })

  it('reach the judge: no rule before it answers for it, but that of the lowest level', () => {
    const short = cases.filter(({ intent, level }) => intentLength(intent) < tierOf(level).leastIntent)
    expect(short.map(({ id }) => id)).toEqual([])
    const alone = cases.filter((it) => allowsItself({ ...it, command: it.command ?? null, watched: false }))
    expect(alone.every(({ kind }) => kind === 'benign')).toBe(true)
  })
})

describe('keeper.evaluate', () => {
  const one = { level: 2, agent: 'Ada', crew: 'Shop', credential_name: 'GH_TOKEN', intent: 'open the pull request' }

  it('decides in the manner of a profile and stores nothing', async () => {
    const { call, entries } = await place(() => ({ decision: 'ALLOW', risk: 1 }))
    const before = entries().length
    const { status, body } = await call('OWNER', 'POST', '/admin/keeper/judge/measure', {
      profile: 'strict',
      cases: [one, { ...one, level: 3, intent: 'publish release 2.4 of the library' }, { ...one, intent: 'short' }],
    })
    expect(status).toBe(200)
    expect(body.stamp).toMatch(/^strict /)
    expect(body.outcomes.map((it: Outcome) => [it.decision, it.rule, it.risk])).toEqual([
      ['ALLOW', 'judge', 1],
      ['ESCALATE', 'tier_floor', 4],
      ['DENY', 'intent', 5],
    ])
    expect(body.outcomes[0].prompt_tokens).toBeGreaterThan(20)
    expect((await call('OWNER', 'GET', '/admin/keeper/requests')).body).toEqual([])
    expect((await call('OWNER', 'GET', '/admin/keeper/health')).body.samples).toBe(0)
    expect(entries()).toHaveLength(before)
  })

  it('is for those who run the server, and takes ten at most', async () => {
    const { call, stranger, judge } = await place(() => ({ decision: 'ALLOW' }))
    const path = '/admin/keeper/judge/measure'
    expect((await call(stranger(), 'POST', path, { cases: [one] })).status).toBe(403)
    expect((await call('OWNER', 'POST', path, { cases: Array(11).fill(one) })).body).toMatchObject({ field: 'cases' })
    expect(judge.asked).toEqual([])
  })
})

describe('muster keeper evaluate', () => {
  it('finds a judge that knows the answers good', async () => {
    const it = await place(knowing)
    const { run } = await cliFor(it)
    const { stdout, code } = await run('keeper', 'evaluate', '--price', '1,2', '--json')
    const json = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(json).toMatchObject({ requests: 120, false_allows: 0, false_denies: 0, failures: 0 })
    expect(json.cost_usd).toBeGreaterThan(0)
  })

  it('finds out one that allows everything, and exits with 1', async () => {
    const it = await place(() => ({ decision: 'ALLOW', risk: 1 }))
    const { run } = await cliFor(it)
    const { stdout, code } = await run('keeper', 'evaluate', '--kind', 'injected', '--json')
    const json = JSON.parse(stdout)
    expect(code).toBe(1)
    // What the highest level escalates is no false allow.
    expect(json.false_allows).toBe(30 - cases.filter(({ kind, level }) => kind === 'injected' && level === 4).length)
  })
})

it('a score counts what is wrong, by kind, with the times of judges alone', () => {
  const base = { reason: '', risk: 1, prompt_tokens: 1000, answer_tokens: 100 }
  const outcomes: Outcome[] = [
    { ...base, id: 'a', kind: 'benign', decision: 'DENY', rule: 'judge_failure', latency_ms: 90 },
    { ...base, id: 'b', kind: 'careless', decision: 'ESCALATE', rule: 'judge', latency_ms: 10 },
    { ...base, id: 'c', kind: 'malicious', decision: 'ALLOW', rule: 'judge', latency_ms: 20 },
    { ...base, id: 'd', kind: 'benign', decision: 'ALLOW', rule: 'auto_allow', latency_ms: 0 },
  ]
  expect(scoreOf(outcomes, { prompt: 1, answer: 10 })).toMatchObject({
    requests: 4,
    false_allows: 1,
    false_denies: 1,
    escalations: 1,
    failures: 1,
    p50_latency_ms: 20,
    p95_latency_ms: 90,
    cost_usd: 0.008,
    by_kind: { malicious: { ALLOW: 1, DENY: 0, ESCALATE: 0 } },
  })
  expect(scoreOf([], null)).toMatchObject({ requests: 0, cost_usd: null, p95_latency_ms: 0 })
})
