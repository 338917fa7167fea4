import { describe, expect, it } from 'vitest'
import { destinationOf } from '#kernel/outbound/destinations'
import { deliveryOf } from '../../../../daemon/features/credentials/delivery/service.ts'
import { wish } from '../../../../daemon/features/credentials/questions/service.ts'
import { countUse } from '../../../../daemon/features/credentials/scopes/service.ts'
import { forgetOldUses } from '../../../../daemon/features/credentials/scopes/uses.ts'
import { takeBack } from '../../../../daemon/features/keeper/requests/handing.ts'
import type { AgentCommand } from '../../../../daemon/runtime/types.ts'
import { agentAtWork } from '../../../support/agent-at-work.ts'
import { judgeServer } from '../../../support/judge.ts'

const to = (path: string, method = 'POST') => destinationOf(method, new URL(`https://api.anthropic.com${path}`))
const messages = to('/v1/messages')
const intent = 'open the pull request for the login fix, as the issue asks for'

/** Ada at work, with a model key that was used for messages. */
async function place({ used = [messages], level = 1, type = 'API_KEY' as const } = {}) {
  const it = await agentAtWork()
  const made = { name: 'main', value: 'sk-ant-api03-scoped', type, provider: 'ANTHROPIC', security_level: level }
  const id = (await it.call('OWNER', 'POST', '/credentials', made)).body.id as string
  await it.call('OWNER', 'POST', `/agents/${it.agentId}/credentials`, { credential_id: id, env_var_name: 'KEY' })
  const { workspace } = it
  await it.app.write(() => {
    for (const one of used) countUse(it.app, { workspace, credential: id }, one)
  })
  const path = `/credentials/${id}/scopes`
  const scopes = async (query = '') => (await it.call('MANAGER', 'GET', `${path}${query}`)).body
  const enforce = (body?: object) => it.call('ADMIN', 'PUT', path, body)
  const decide = (question: string, decision: string, who: 'ADMIN' | 'OWNER' = 'ADMIN') =>
    it.call(who, 'POST', `${path}/questions/${question}`, { decision })
  /** What the sidecar asks. */
  const use = async (place: object, more: object = {}) =>
    (await it.ask('/credential-use', { credential_id: id, ...place }, more)) as {
      status: number
      body: { allowed: boolean; detail: string; question: string }
    }
  const told = (name: string) => it.entries().filter(({ entry_type }) => entry_type === name)
  return { ...it, id, path, scopes, enforce, decide, use, told }
}

describe('what a credential was used for', () => {
  it('is counted by place, and the narrowest rules are proposed', async () => {
    const it = await place({ used: [messages, messages, to('/v1/files/123'), to('/v1/files/456')] })
    expect(await it.scopes()).toMatchObject({
      credential_name: 'main',
      days: 30,
      enforced: false,
      uses: [
        { ...to('/v1/files/1'), uses: 2 },
        { ...messages, uses: 2 },
      ],
      proposed: [to('/v1/files/1'), messages],
      active: [],
      unseen: 0,
    })
  })

  it('counts the days that are asked for', async () => {
    const it = await place()
    it.clock.advance(10 * 86_400_000)
    expect((await it.scopes('?days=10')).uses).toEqual([])
    expect((await it.scopes('?days=11')).uses).toHaveLength(1)
    expect((await it.call('MANAGER', 'GET', `${it.path}?days=91`)).status).toBe(400)
  })

  it('takes a bounded number of rows, whatever paths agents think of', async () => {
    const it = await place({ used: [] })
    const words = Array.from({ length: 900 }, (_, index) => `w${'abcdefghij'[index % 10]}${'x'.repeat(index % 37)}y`)
    await it.app.write(() => {
      for (const [index, word] of words.entries())
        for (const host of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
          countUse(
            it.app,
            { workspace: it.workspace, credential: it.id },
            { host: `${host}.example`, method: 'GET', path: `/${word}/${'z'.repeat(index % 41)}` },
          )
    })
    const { n, uses } = it.app.db.prepare('SELECT count(*) AS n, sum(uses) AS uses FROM credential_uses').get() as {
      n: number
      uses: number
    }
    expect(uses).toBe(7200)
    expect(n).toBeLessThanOrEqual(401)
    const { proposed } = await it.scopes()
    expect(proposed.some(({ path }: { path: string }) => path.endsWith('/**'))).toBe(true)
    expect(JSON.stringify(proposed)).not.toContain('"*"')
  })

  it('is forgotten when the records of credentials are', async () => {
    const it = await place()
    it.clock.advance(91 * 86_400_000)
    expect(await it.app.write(() => forgetOldUses(it.app, 100))).toBe(1)
    await it.call('OWNER', 'PATCH', `/workspaces/${it.workspace}`, { credential_audit_retention_days: 0 })
    await it.app.write(() => countUse(it.app, { workspace: it.workspace, credential: it.id }, messages))
    it.clock.advance(1000 * 86_400_000)
    expect(await it.app.write(() => forgetOldUses(it.app, 100))).toBe(0)
  })

  it('goes with the credential', async () => {
    const it = await place()
    await it.enforce()
    await it.use(to('/v1/files'))
    expect((await it.call('OWNER', 'DELETE', `/credentials/${it.id}`)).status).toBe(200)
    expect(it.told('credential.use_decided')).toMatchObject([{ payload: { outcome: 'denied', ended: 'withdrawn' } }])
    for (const table of ['credential_uses', 'credential_scopes', 'scoped_credentials'])
      expect(it.app.db.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 })
    expect((await it.call('MANAGER', 'GET', it.path)).status).toBe(404)
  })
})

describe('a credential that is kept to its scopes', () => {
  it('tells the sidecar of them, and is on record', async () => {
    const it = await place()
    const { revision } = await it.scopes()
    expect((await it.enforce({ revision })).body).toMatchObject({ enforced: true, active: [messages] })
    const [key] = deliveryOf(it.app, it.agentId).models
    expect(key!.scopes).toEqual([messages])
    expect(it.told('credential.scopes_enforced')).toMatchObject([
      { severity: 'notice', payload: { credential_id: it.id, credential_name: 'main', days: 30, rules: 1 } },
    ])
    expect((await it.call('ADMIN', 'DELETE', it.path)).body).toMatchObject({ enforced: false, active: [] })
    expect(deliveryOf(it.app, it.agentId).models[0]).not.toHaveProperty('scopes')
    await it.call('ADMIN', 'DELETE', it.path)
    expect(it.told('credential.scopes_ended')).toHaveLength(1)
  })

  it('is not kept to other rules than those that were looked at, nor to none', async () => {
    const it = await place()
    const { revision } = await it.scopes()
    await it.app.write(() => countUse(it.app, { workspace: it.workspace, credential: it.id }, to('/v1/files')))
    expect((await it.enforce({ revision })).body).toMatchObject({ status: 409, code: 'scopes_changed' })
    const empty = await place({ used: [] })
    expect((await empty.enforce()).body).toMatchObject({ status: 409, code: 'scopes_unknown' })
    expect((await empty.scopes()).enforced).toBe(false)
  })

  it('is kept and freed by ADMIN alone', async () => {
    const it = await place()
    expect((await it.call('MANAGER', 'PUT', it.path)).status).toBe(403)
    expect((await it.call('MANAGER', 'DELETE', it.path)).status).toBe(403)
    expect((await it.call('MEMBER', 'GET', it.path)).status).toBe(403)
  })

  it('becomes a question elsewhere: a card that says who wants what, once', async () => {
    const it = await place()
    await it.enforce()
    expect((await it.use(messages)).body).toEqual({ allowed: true })
    const first = (await it.use(to('/v1/files'))).body
    expect(first).toMatchObject({ allowed: false })
    expect(first.detail).toContain('main may not be used for POST api.anthropic.com/v1/files until people allow it')
    expect((await it.use(to('/v1/files'))).body).toEqual(first)
    const { rows } = (await it.call('ADMIN', 'GET', '/inbox?kind=escalation')).body
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ sender_type: 'agent', state: 'unread' })
    expect(rows[0].payload).toMatchObject({
      kind: 'credential_use',
      credential_id: it.id,
      credential_name: 'main',
      ...to('/v1/files'),
      agent_id: it.agentId,
      run_id: it.runId,
      crew_id: it.crewId,
    })
    expect((await it.scopes()).waiting).toMatchObject([{ id: first.question, ...to('/v1/files') }])
    expect(it.told('credential.use_asked')).toHaveLength(1)
    expect((await it.call('MANAGER', 'GET', '/inbox?kind=escalation')).body.rows).toEqual([])
  })

  it('is used once where people allow it once: one use of many, by this agent, within an hour', async () => {
    const it = await place()
    await it.enforce()
    const ask = async () => (await it.use(to('/v1/files'))).body
    const { question } = await ask()
    expect((await it.decide(question, 'once')).body).toMatchObject({ id: question, decision: 'once' })
    const uses = await Promise.all([ask(), ask(), ask()])
    expect(uses.filter(({ allowed }) => allowed)).toHaveLength(1)
    const again = uses.find(({ allowed }) => !allowed)!
    expect(again.question).not.toBe(question)
    expect((await it.scopes()).active).toEqual([expect.objectContaining(messages)])
    await it.decide(again.question, 'once')
    it.clock.advance(3_601_000)
    expect((await ask()).allowed).toBe(false)
  })

  it('has one rule more where people allow it always', async () => {
    const it = await place()
    await it.enforce()
    const { question } = (await it.use(to('/v1/files/7'))).body
    await it.decide(question, 'always')
    expect((await it.scopes()).active.map(({ path }: { path: string }) => path)).toEqual([
      '/v1/files/{id}',
      '/v1/messages',
    ])
    expect((await it.use(to('/v1/files/8'))).body.allowed).toBe(true)
    expect((await it.use(to('/v1/files/8', 'DELETE'))).body.allowed).toBe(false)
    expect(deliveryOf(it.app, it.agentId).models[0]!.scopes).toHaveLength(2)
  })

  it('is not asked about again for an hour where people deny it, and the denial is on record', async () => {
    const it = await place()
    await it.enforce()
    const { question } = (await it.use(to('/v1/files'))).body
    await it.decide(question, 'deny')
    const { body } = await it.use(to('/v1/files'))
    expect(body).toMatchObject({ allowed: false, question: null })
    expect(body.detail).toContain('denied at')
    expect(it.told('credential.use_decided')).toMatchObject([
      { actor_type: 'user', agent_id: it.agentId, payload: { outcome: 'denied', question_id: question } },
    ])
    it.clock.advance(3_601_000)
    expect((await it.use(to('/v1/files'))).body.question).toEqual(expect.any(String))
  })

  it('is decided once: of many who decide at the same time the first one counts', async () => {
    const it = await place()
    await it.enforce()
    const { question } = (await it.use(to('/v1/files'))).body
    const said = await Promise.all(
      (['always', 'deny', 'once', 'always'] as const).map((decision, index) =>
        it.decide(question, decision, index % 2 ? 'OWNER' : 'ADMIN'),
      ),
    )
    expect(said.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    expect(said.find(({ status }) => status === 409)!.body.code).toBe('use_settled')
    expect(it.told('credential.use_decided')).toHaveLength(1)
    const [entry] = it.told('credential.use_decided')
    expect((await it.scopes()).active).toHaveLength(entry!.payload!['outcome'] === 'always' ? 2 : 1)
  })

  it('is denied when nobody decides in time', async () => {
    const it = await place()
    await it.enforce()
    const { question } = (await it.use(to('/v1/files'))).body
    it.clock.advance(8 * 86_400_000)
    expect((await it.decide(question, 'always')).body).toMatchObject({ code: 'use_settled' })
    expect((await it.scopes()).active).toHaveLength(1)
    expect(it.told('credential.use_decided')).toMatchObject([{ payload: { outcome: 'denied', ended: 'expired' } }])
  })

  it('asks at most twenty questions of one agent', async () => {
    const it = await place()
    await it.enforce()
    const names = [...'abcdefghijklmnopqrstuvwxyz']
    const answers = []
    for (const name of names) answers.push((await it.use(to(`/v1/${name}`))).body)
    expect(answers.filter(({ question }) => question !== null)).toHaveLength(20)
    expect(answers.at(-1)!.detail).toContain('people have yet to decide 20')
  })

  it('is not decided by who made the agent alone, at the highest level', async () => {
    const it = await place({ level: 4 })
    await it.enforce()
    const { question } = (await it.use(to('/v1/files'))).body
    expect((await it.decide(question, 'always', 'OWNER')).body).toMatchObject({ code: 'second_approver_required' })
    expect((await it.decide(question, 'always', 'ADMIN')).status).toBe(200)
  })

  it('is asked about for agents that have it, by the sidecar of their crew', async () => {
    const it = await place()
    await it.enforce()
    const other = (await it.call('OWNER', 'POST', '/credentials', { name: 'other', value: 'x' })).body.id
    expect((await it.ask('/credential-use', { credential_id: other, ...messages })).status).toBe(404)
    expect((await it.ask('/credential-use', { credential_id: it.id, host: 7 })).status).toBe(400)
    expect((await it.use(messages, { agentId: 'nobody' })).status).toBe(404)
    expect((await it.decide('nothing', 'once')).status).toBe(404)
  })

  it('answers for what a sidecar knew before, once it is free again', async () => {
    const it = await place()
    await it.enforce()
    await it.call('ADMIN', 'DELETE', it.path)
    expect((await it.use(to('/v1/files'))).body).toEqual({ allowed: true })
  })
})

describe('the value of a credential that is kept to its scopes', () => {
  async function guarded(says: 'ALLOW' | 'DENY' | null) {
    const it = await agentAtWork()
    const made = { name: 'github', value: 'ghp_hush-0815-hush', security_level: 1 }
    const id = (await it.call('OWNER', 'POST', '/credentials', made)).body.id as string
    await it.call('OWNER', 'POST', `/agents/${it.agentId}/credentials`, { credential_id: id, env_var_name: 'GH_TOKEN' })
    if (says) {
      const judge = await judgeServer(() => ({ decision: says }))
      const set = { enabled: true, judge_endpoint_url: judge.url, judge_model: 'qwen3' }
      await it.call('OWNER', 'PUT', '/admin/keeper/config', set)
    }
    const api = destinationOf('GET', new URL('https://api.github.com/user'))
    await it.app.write(() => countUse(it.app, { workspace: it.workspace, credential: id }, api))
    expect((await it.call('ADMIN', 'PUT', `/credentials/${id}/scopes`)).status).toBe(200)
    return { ...it, id }
  }

  it('is given to no agent when a run starts', async () => {
    const it = await guarded(null)
    expect(deliveryOf(it.app, it.agentId).secrets).toEqual([])
    await it.call('ADMIN', 'DELETE', `/credentials/${it.id}/scopes`)
    expect(deliveryOf(it.app, it.agentId).secrets).toMatchObject([{ name: 'GH_TOKEN' }])
  })

  it('is taken from an agent that was given it before, once its run is over', async () => {
    const it = await guarded(null)
    const commands: AgentCommand[] = []
    it.runtime.command = async (_crew, _agent, command) => {
      commands.push(command)
      return { code: 0, stdout: '', stderr: '' }
    }
    await takeBack(it.app, it.agentId)
    expect(commands.map(({ argv }) => argv.at(-1))).toEqual(['GH_TOKEN'])
    await it.call('ADMIN', 'DELETE', `/credentials/${it.id}/scopes`)
    await takeBack(it.app, it.agentId)
    expect(commands).toHaveLength(1)
  })

  it.each([
    ['/keeper/request', {}],
    ['/keeper/execute', { command: 'gh pr create' }],
  ])('goes before people, whatever its level (%s)', async (route, more) => {
    for (const says of ['ALLOW', null] as const) {
      const it = await guarded(says)
      const { body } = await it.ask(route, { intent, credential_name: 'GH_TOKEN', ...more })
      expect(body).toMatchObject({ decision: 'ESCALATE' })
      expect((await it.call('ADMIN', 'GET', '/admin/keeper/requests')).body[0]).toMatchObject({ rule: 'scopes' })
    }
  })

  it('is not had where the judge denies it', async () => {
    const it = await guarded('DENY')
    expect((await it.ask('/keeper/request', { intent, credential_name: 'GH_TOKEN' })).body).toMatchObject({
      decision: 'DENY',
    })
  })

  it('that was handed out is counted as what nobody sees', async () => {
    const it = await agentAtWork()
    const made = { name: 'github', value: 'ghp_hush-0815-hush', security_level: 1 }
    const id = (await it.call('OWNER', 'POST', '/credentials', made)).body.id as string
    await it.call('OWNER', 'POST', `/agents/${it.agentId}/credentials`, { credential_id: id, env_var_name: 'GH_TOKEN' })
    it.runtime.command = async () => ({ code: 0, stdout: '', stderr: '' })
    await it.ask('/keeper/request', { intent, credential_name: 'GH_TOKEN' })
    const { body } = await it.call('MANAGER', 'GET', `/credentials/${id}/scopes`)
    expect(body).toMatchObject({ unseen: 1, uses: [], proposed: [] })
  })
})

it('a routine asks by its own name, and each asker for itself', async () => {
  const it = await place()
  await it.enforce()
  const routine = {
    workspace: it.workspace,
    credential: it.id,
    to: to('/v1/files'),
    agent: null,
    asker: { id: 'routine-1', name: 'Nightly' },
    crew: it.crewId,
    run: null,
  }
  const asked = await it.app.write(() => wish(it.app, routine))
  const { question } = (await it.use(to('/v1/files'))).body
  expect(asked).toMatchObject({ allowed: false })
  expect(asked).not.toMatchObject({ question })
  await it.decide(question, 'once')
  expect(await it.app.write(() => wish(it.app, routine))).toMatchObject({ allowed: false })
})
