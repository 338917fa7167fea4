import { describe, expect, it } from 'vitest'
import { loadConfig } from '#kernel/config'
import { closing } from '#test'
import { denyUnjudged, forgetOldRequests } from '../../../../daemon/features/keeper/requests/jobs.ts'
import { agentAtWork } from '../../../support/agent-at-work.ts'
import { judgeServer, type Says } from '../../../support/judge.ts'

const intent = 'open the pull request for the login fix, as the issue asks for'
const day = 86_400_000

/** Ada may ask for GH_TOKEN, and a judge answers so. */
async function place(says: Says, { level = 3 } = {}) {
  const judge = await judgeServer(says)
  const it = await agentAtWork()
  const set = { enabled: true, judge_endpoint_url: judge.url, judge_model: 'qwen3' }
  expect((await it.call('OWNER', 'PUT', '/admin/keeper/config', set)).status).toBe(200)
  const assign = async (name: string, variable: string, security_level: number, provider = 'GITHUB') => {
    const made = { name, value: `value-of-${name}`, security_level, provider, type: 'SECRET' }
    const credential_id = (await it.call('OWNER', 'POST', '/credentials', made)).body.id as string
    await it.call('OWNER', 'POST', `/agents/${it.agentId}/credentials`, { credential_id, env_var_name: variable })
    return credential_id
  }
  await assign('github', 'GH_TOKEN', level)
  it.runtime.command = async () => ({ code: 0, stdout: '', stderr: '' })
  const request = async (more: object = {}) =>
    (await it.ask('/keeper/request', { intent, credential_name: 'GH_TOKEN', ...more })).body as Record<string, string>
  const rows = async () => (await it.call('ADMIN', 'GET', '/admin/keeper/requests')).body
  const inside = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const poll = async (id: string) =>
    (await it.call(null, 'GET', `/internal/keeper/request/${id}`, undefined, inside)).body
  return { ...it, assign, request, rows, poll }
}

describe('the card of a request', () => {
  it('says whether a narrower credential of the same provider is there, and what people decided before', async () => {
    const it = await place(() => ({ decision: 'ESCALATE' }))
    await it.assign('mail', 'MAIL', 1, 'NONE')
    const first = await it.request()
    const cardOf = async (id: string) => (await it.call('ADMIN', 'GET', `/inbox/ibx_escalation_${id}`)).body
    expect(await cardOf(first['request_id']!)).toMatchObject({
      evidence: { narrower_credential: { exists: false } },
      security_level_label: 'L3 · high',
    })
    await it.call('ADMIN', 'POST', `/admin/keeper/requests/${first['request_id']}/resolve`, { decision: 'DENY' })
    await it.assign('github-read', 'GH_READ', 1)
    const second = await it.request({ intent: `${intent}, again` })
    const card = await cardOf(second['request_id']!)
    expect(card.evidence).toEqual({
      narrower_credential: { exists: true, name: 'github-read', security_level: 1 },
    })
    expect(card.body_md).toContain('The agent also reaches github-read, which is L1 · low.')
    expect(card.body_md).toContain(`- DENY: github, ${intent}`)
  })
})

describe('a denial', () => {
  it.each([
    [6, 0],
    [7, 1],
    [8, 1],
  ])('with risk %i has %i cards where people are told from 7 on', async (risk, cards) => {
    const it = await place(() => ({ decision: 'DENY', risk }))
    await it.call('OWNER', 'PUT', '/admin/keeper/governance', { enabled: true, deny_notify_min_risk: 7 })
    const { request_id } = await it.request()
    const { rows } = (await it.call('ADMIN', 'GET', '/inbox?kind=escalation')).body
    expect(rows.map(({ source_id }: { source_id: string }) => source_id)).toEqual(cards ? [request_id] : [])
  })

  it('has no card where the workspace asks for none', async () => {
    const it = await place(() => ({ decision: 'DENY', risk: 10 }))
    await it.request()
    expect((await it.call('ADMIN', 'GET', '/inbox?kind=escalation')).body.rows).toEqual([])
  })
})

it('what is being judged has no decision yet, and is denied when the daemon starts anew', async () => {
  const it = await place(() => null)
  void it.ask('/keeper/request', { intent, credential_name: 'GH_TOKEN' })
  await expect.poll(async () => (await it.rows()).length).toBe(1)
  const [{ id }] = await it.rows()
  expect(await it.poll(id)).toMatchObject({ id, decision: null, decided_at: null })
  closing(denyUnjudged(it.app))
  await expect.poll(async () => (await it.poll(id)).decision).toBe('DENY')
  expect(await it.poll(id)).toMatchObject({ reason: 'Muster was restarted before it was judged', risk_score: 10 })
})

it('settled requests are kept as long as the records of credentials, and what became of them for longer', async () => {
  const it = await place(() => ({ decision: 'DENY' }))
  const settled = (await it.request())['request_id']!
  const before = it.entries().length
  it.clock.advance(89 * day)
  expect(await it.app.write(() => forgetOldRequests(it.app, 10))).toBe(0)
  it.clock.advance(2 * day)
  expect(await it.app.write(() => forgetOldRequests(it.app, 10))).toBe(1)
  expect(await it.rows()).toEqual([])
  expect((await it.call('ADMIN', 'GET', `/admin/keeper/requests/${settled}`)).status).toBe(404)
  const { body: events } = await it.call('ADMIN', 'GET', `/admin/keeper/requests/${settled}/events`)
  expect(events.map(({ state }: { state: string }) => state)).toEqual(['PENDING', 'DENY'])
  expect((await it.call('ADMIN', 'GET', '/admin/keeper/requests/nothing/events')).status).toBe(404)
  expect(it.entries().length).toBe(before)
})

it('requests that people have yet to decide are kept, and all of them where records are kept for ever', async () => {
  const it = await place(() => ({ decision: 'ESCALATE' }))
  await it.request()
  it.clock.advance(400 * day)
  expect(await it.app.write(() => forgetOldRequests(it.app, 10))).toBe(0)
  const ever = await place(() => ({ decision: 'DENY' }))
  await ever.call('OWNER', 'PATCH', `/workspaces/${ever.workspace}`, { credential_audit_retention_days: 0 })
  await ever.request()
  ever.clock.advance(400 * day)
  expect(await ever.app.write(() => forgetOldRequests(ever.app, 10))).toBe(0)
})

it('the address of the judge has two names, and the vendor’s counts where both are set', () => {
  const urlOf = (env: Record<string, string>) => loadConfig({ env }).config.keeperUrl
  const [own, vendors] = ['http://judge:1', 'http://judge:2']
  expect(urlOf({ KEEPER_URL: own })).toBe(own)
  expect(urlOf({ KEEPER_OLLAMA_URL: vendors })).toBe(vendors)
  expect(urlOf({ KEEPER_URL: own, KEEPER_OLLAMA_URL: vendors })).toBe(vendors)
})
