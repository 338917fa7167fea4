import { describe, expect, it } from 'vitest'
import { judgeServer, type Said, type Says } from '../../../support/judge.ts'
import { workplace } from '../../../support/runs.ts'

async function place(says: Says | Said) {
  const judge = await judgeServer(typeof says === 'function' ? says : () => says)
  const it = await workplace()
  it.app.scrub = () => (value) => value
  const set = { judge_endpoint_url: judge.url, judge_model: 'qwen3', judge_timeout_ms: 1000 }
  expect((await it.call('OWNER', 'PUT', '/admin/keeper/config', set)).status).toBe(200)
  expect((await it.call('OWNER', 'POST', '/admin/keeper/aux/use-judge')).status).toBe(200)
  const evaluate = (path: string, body: object) =>
    it.call(
      null,
      'POST',
      `/internal/keeper/${path}`,
      { workspace_id: it.workspace, crew_id: it.crewId, ...body },
      { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) },
    )
  const cards = async () =>
    (await it.call('OWNER', 'GET', '/inbox?kind=escalation')).body.rows as { payload: Record<string, unknown> }[]
  return { ...it, judge, evaluate, cards }
}

const call = { tool_name: 'Bash', tool_args_snippet: 'rm -rf /workspace', recent_tool_calls: ['ls'] }

describe('keeper.behavior', () => {
  it('is stored and answered; what is fine makes no card', async () => {
    const it = await place({ decision: 'ALLOW' })
    const { status, body } = await it.evaluate('behavior', call)
    expect(status).toBe(200)
    expect(body).toMatchObject({ decision: 'ALLOW', should_block: false, policy_decision: 'allow', risk_score: 2 })
    expect(it.judge.asked[0]!.prompt).toContain('rm -rf /workspace')
    expect(it.judge.asked[0]!.system).toContain('WARN')
    const [row] = (await it.call('ADMIN', 'GET', '/admin/keeper/requests?request_type=behavior')).body
    expect(row).toMatchObject({ id: body.request_id, decision: 'ALLOW', intent: 'A call of a tool: Bash' })
    expect(await it.cards()).toEqual([])
  })

  it('warns or blocks as the policy of the crew says, with a card', async () => {
    const it = await place({ decision: 'DENY' })
    expect((await it.evaluate('behavior', call)).body).toMatchObject({ should_block: false, policy_decision: 'warn' })
    const policy = { autonomy_level: 'guided', behavior_mode: 'block' }
    expect((await it.call('OWNER', 'PUT', `/crews/${it.crewId}/policy`, policy)).status).toBe(200)
    expect((await it.evaluate('behavior', call)).body).toMatchObject({ should_block: true, policy_decision: 'block' })
    expect((await it.cards())[0]!.payload).toMatchObject({
      request_type: 'behavior',
      decision: 'DENY',
      tool_name: 'Bash',
    })
  })

  it.each([
    ['answers prose', 'Looks fine to me.'],
    ['takes too long', null],
  ])('stops nothing when the judge %s', async (_, says) => {
    const it = await place(() => says)
    expect((await it.evaluate('behavior', call)).body).toMatchObject({ decision: 'WARN', should_block: false })
  })

  it('says 503 where nobody is named who judges', async () => {
    const it = await place({ decision: 'ALLOW' })
    await it.call('OWNER', 'DELETE', '/admin/keeper/aux')
    expect((await it.evaluate('behavior', call)).status).toBe(503)
    expect((await it.evaluate('behavior', { ...call, crew_id: undefined })).status).toBe(400)
  })
})

it('keeper.reviewSkill says what is to become of a skill', async () => {
  const it = await place((_, n) => ({ decision: ['ALLOW', 'DENY', 'ESCALATE'][n - 1]! }))
  const review = async () => (await it.evaluate('skill-review', { skill_id: 'csk', lifecycle_state: 'stale' })).body
  expect(await review()).toMatchObject({ verify_after_decide: true, proposed_lifecycle: 'stale' })
  expect(await review()).toMatchObject({ unverify_after_decide: true, proposed_lifecycle: 'deprecated' })
  expect(await review()).toMatchObject({
    decision: 'ESCALATE',
    verify_after_decide: false,
    proposed_lifecycle: 'stale',
  })
})

it('keeper.memoryHealth says whether a memory is to be tidied', async () => {
  const it = await place({ decision: 'DENY' })
  const { body } = await it.evaluate('memory-health', { snapshot: { Overall: 0.3 }, stalest_entry_days: 90 })
  expect(body).toMatchObject({ auto_consolidate: true, overall_score: 0.3 })
  expect((await it.evaluate('memory-health', { snapshot: { Overall: 3 } })).status).toBe(400)
})

describe('keeper.negativeLearning', () => {
  const failure = { trigger: 'run_failed', failure_snippet: 'ENOSPC while building' }

  it('puts a lesson before people', async () => {
    const it = await place({ decision: 'ALLOW', reason: 'Clear the cache before a build' })
    const { body } = await it.evaluate('negative-learning', failure)
    expect(body).toMatchObject({ write_lesson: true, lesson_id: expect.any(String) })
    const { body: proposals } = await it.call('OWNER', 'GET', '/consolidate/proposed')
    expect(JSON.stringify(proposals)).toContain(body.lesson_id)
  })

  it('leaves what teaches nothing', async () => {
    const it = await place({ decision: 'DENY' })
    expect((await it.evaluate('negative-learning', failure)).body).toMatchObject({ write_lesson: false })
    expect((await it.evaluate('negative-learning', { ...failure, trigger: 'bad_day' })).status).toBe(400)
  })
})

it('an evaluation of a foreign crew or agent is not there', async () => {
  const it = await place({ decision: 'ALLOW' })
  const { status } = await it.evaluate('behavior', { ...call, agent_id: 'cnobody' })
  expect(status).toBe(404)
  expect(it.judge.asked).toEqual([])
})

it('an evaluation names the workspace of its token, or is no good', async () => {
  const it = await place({ decision: 'ALLOW' })
  const bodies = {
    'skill-review': { skill_id: 'x' },
    behavior: call,
    'memory-health': { snapshot: {} },
    'negative-learning': { trigger: 'run_failed', failure_snippet: 'x' },
  }
  for (const [path, body] of Object.entries(bodies))
    expect(await it.evaluate(path, { ...body, workspace_id: 'another' }), path).toMatchObject({
      status: 400,
      body: { code: 'invalid_field', field: 'workspace_id' },
    })
  expect(await it.evaluate('behavior', { ...call, crew_id: 'another' })).toMatchObject({
    status: 403,
    body: { code: 'internal_token_rejected', field: 'crew_id' },
  })
  expect(it.judge.asked).toEqual([])
})
