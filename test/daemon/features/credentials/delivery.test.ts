import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { daemon, fixedClock, type TestDaemon } from '#test'
import { variableName, variableOfName } from '../../../../daemon/features/credentials/assignments/rules.ts'
import {
  envFile,
  type Grant,
  pickVariables,
  rankModels,
} from '../../../../daemon/features/credentials/delivery/rules.ts'
import {
  deliveryOf,
  knownSecrets,
  markLimited,
  markUsed,
  secretFiles,
} from '../../../../daemon/features/credentials/delivery/service.ts'
import { failOn } from '../../../support/reactions.ts'

type Call = TestDaemon['call']

async function make(call: Call, path: string, body: object): Promise<{ id: string }> {
  const answer = await call('OWNER', 'POST', path, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

async function setting(options: Parameters<typeof daemon>[0] = {}) {
  const clock = fixedClock()
  const it = await daemon({ ...options, clock })
  const crew = (await make(it.call, '/crews', { name: 'Backend', slug: 'backend' })).id
  const agent = (await make(it.call, '/agents', { name: 'Ada', slug: 'ada', crew_id: crew })).id
  let count = 0
  const add = async (body: object = {}) => {
    clock.advance(1) // ids of one millisecond have no order
    return (await make(it.call, '/credentials', { name: `c${++count}`, value: `v${count}`, ...body })).id
  }
  const model = (body: object = {}) => add({ type: 'API_KEY', provider: 'ANTHROPIC', ...body })
  const give = async (credential_id: string, body: object = {}) =>
    (await make(it.call, `/agents/${agent}/credentials`, { credential_id, env_var_name: `VAR_${++count}`, ...body })).id
  const assigned = async (who: Parameters<Call>[0] = 'OWNER') =>
    (await it.call(who, 'GET', `/agents/${agent}/credentials`)).body
  const delivered = () => deliveryOf(it.app, agent)
  const tokens = () => delivered().models.map(({ token, priority }) => [token, priority])
  const payer = async (who: Parameters<Call>[0] = 'OWNER') =>
    (await it.call(who, 'GET', `/agents/${agent}`)).body.pays_with
  return { ...it, crew, agent, add, model, give, assigned, delivered, tokens, payer }
}

const grant = (credentialId: string, source: Grant['source'], priority = 0, over: Partial<Grant> = {}): Grant => ({
  credentialId,
  source,
  priority,
  provider: 'ANTHROPIC',
  variable: 'V',
  ...over,
})

describe('rankModels', () => {
  const ranks = (...grants: Grant[]) => rankModels(grants).map(({ credentialId, order }) => `${credentialId}${order}`)

  it.each([
    ['nothing', [], []],
    ['lowest number first', [grant('a', 'explicit', 5), grant('b', 'explicit', -1)], ['b0', 'a1']],
    [
      'equal numbers take turns, oldest first',
      [grant('b', 'explicit'), grant('a', 'explicit'), grant('c', 'explicit', 1)],
      ['a0', 'b0', 'c1'],
    ],
    [
      'the agent’s own before its crew’s, whatever the number',
      [grant('a', 'crew'), grant('b', 'explicit', 9)],
      ['b0', 'a1'],
    ],
    ['a crew’s one after the other', [grant('b', 'crew'), grant('a', 'crew')], ['a0', 'b1']],
    ['the workspace’s when nothing is nearer', [grant('b', 'workspace'), grant('a', 'workspace')], ['a0', 'b1']],
    ['not the workspace’s otherwise', [grant('a', 'workspace'), grant('b', 'explicit', 3)], ['b0']],
    [
      'each provider for itself',
      [
        grant('a', 'workspace', 0, { provider: 'OPENAI' }),
        grant('b', 'explicit'),
        grant('c', 'explicit', 0, { provider: 'OPENAI' }),
        grant('d', 'crew'),
      ],
      ['b0', 'c0', 'd1'],
    ],
  ] as [string, Grant[], string[]][])('%s', (_what, grants, wanted) => expect(ranks(...grants)).toEqual(wanted))
})

describe('pickVariables', () => {
  it('takes the nearest, then the lowest number, then the oldest', () => {
    const grants = [
      grant('a', 'crew', 0, { variable: 'ONE' }),
      grant('b', 'explicit', 7, { variable: 'ONE' }),
      grant('d', 'explicit', 1, { variable: 'TWO' }),
      grant('c', 'explicit', 1, { variable: 'TWO' }),
      grant('e', 'crew', 0, { variable: 'THREE' }),
    ]
    expect(pickVariables(grants).map(({ variable, credentialId }) => `${variable}:${credentialId}`)).toEqual([
      'TWO:c',
      'ONE:b',
      'THREE:e',
    ])
  })
})

describe('names of variables', () => {
  it.each([
    ['gh_token', 'GH_TOKEN'],
    ['gh-token-2', 'GH_TOKEN_2'],
    ['_x', '_X'],
  ])('%s becomes %s', (given, wanted) => expect(variableName(given)).toBe(wanted))

  it.each([
    '',
    '2FA',
    '-',
    'A B',
    'A=B',
    'A\n',
    'PÄSS',
    'ſecret',
    '\u212Aey',
    'ＡＢ',
    '../x',
    'svc_agent_id',
    'SVC-X',
    'x'.repeat(129),
  ])('%j is refused', (given) => {
    if (given === '-') return expect(variableName(given)).toBe('_')
    expect(() => variableName(given)).toThrow()
  })

  it.each([
    ['GitHub token', 'GITHUB_TOKEN'],
    ['Café – dev', 'CAFE_DEV'],
    ['2fa', '_2FA'],
    ['svc key', '_SVC_KEY'],
    ['日本', '__'],
  ])('of a crew’s credential %s is %s', (name, wanted) => expect(variableOfName(name)).toBe(wanted))
})

describe('envFile', () => {
  it('gives a real shell every value to the byte', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-env-'))
    const value = `it's "$(echo no)" \`no\` \\n $HOME\nline two é`
    writeFileSync(
      join(folder, '.env'),
      envFile([
        { name: 'ONE', value },
        { name: 'TWO', value: '' },
      ]),
    )
    const out = execFileSync('sh', ['-c', '. ./.env; printf %s "$ONE"; printf "|%s|" "$TWO"; env | grep -c "^TWO="'], {
      cwd: folder,
      encoding: 'utf8',
    })
    rmSync(folder, { recursive: true })
    expect(out).toBe(`${value}||1\n`)
  })
})

describe('what an agent is given', () => {
  it('is model keys for the sidecar and secrets for files, and nothing that is not assigned', async () => {
    const it = await setting()
    await it.add() // of the workspace, assigned to nobody
    const [model, secret, token] = [
      await it.model({ value: 'sk-ant-1' }),
      await it.add({ value: 'two\nlines' }),
      await it.add({ type: 'CLI_TOKEN', provider: 'GITHUB', value: 'gh' }),
    ]
    await it.give(model, { env_var_name: 'anthropic-api-key' })
    await it.give(secret, { env_var_name: 'deploy-key' })
    await it.give(token, { env_var_name: 'gh_token' })
    expect(it.delivered()).toEqual({
      models: [{ credentialId: model, provider: 'ANTHROPIC', kind: 'api_key', token: 'sk-ant-1', priority: 0 }],
      secrets: [
        { credentialId: secret, name: 'DEPLOY_KEY', value: 'two\nlines' },
        { credentialId: token, name: 'GH_TOKEN', value: 'gh' },
      ],
    })
    expect(secretFiles(it.delivered().secrets, '/secrets/ada')).toEqual([
      { path: '/secrets/ada/DEPLOY_KEY', content: 'two\nlines', mode: 0o400 },
      { path: '/secrets/ada/GH_TOKEN', content: 'gh', mode: 0o400 },
      { path: '/secrets/ada/.env', content: "export DEPLOY_KEY='two\nlines'\nexport GH_TOKEN='gh'\n", mode: 0o400 },
    ])
    expect(secretFiles([], '/secrets/ada')).toEqual([])
  })

  it('travels as a bearer token when it is a person’s login', async () => {
    const it = await setting()
    await it.give(await it.add({ type: 'AI_CLI_TOKEN', provider: 'ANTHROPIC', value: 'login' }))
    await it.give(await it.model({ value: 'sk-ant-oat01-x' }), { priority: 1 })
    expect(it.delivered().models.map(({ kind }) => kind)).toEqual(['oauth', 'oauth'])
  })

  it('follows the agent’s own grants, then its crew’s, then the workspace’s', async () => {
    const it = await setting()
    expect(it.tokens()).toEqual([])
    expect(await it.payer()).toBe(null)
    const wide = await it.model({ value: 'wide' })
    expect(it.tokens()).toEqual([['wide', 0]])
    expect(await it.payer()).toEqual({ credential_id: wide, name: 'c1', login: null })
    const near = await it.model({
      value: 'near',
      scope: 'CREW',
      crew_ids: [it.crew],
      account_email: 'team@example.com',
    })
    expect(it.tokens()).toEqual([['near', 0]])
    expect(await it.payer()).toEqual({ credential_id: near, name: 'c2', login: 'team@example.com' })
    const own = await it.model({ value: 'own', account_label: 'Ada', account_email: 'ada@example.com' })
    await it.give(own, { priority: 3 })
    expect(it.tokens()).toEqual([
      ['own', 0],
      ['near', 1],
    ])
    expect(await it.payer()).toEqual({ credential_id: own, name: 'c3', login: 'Ada' })
    await it.give(wide, { priority: 3 })
    expect(it.tokens(), 'equal numbers take turns').toEqual([
      ['wide', 0],
      ['own', 0],
      ['near', 1],
    ])
  })

  it('does not come from the workspace to a program of another provider', async () => {
    const it = await setting()
    await it.add({ type: 'API_KEY', provider: 'OPENAI', value: 'sk-openai' })
    expect(await it.payer()).toBe(null)
    expect(it.delivered().models).toMatchObject([{ provider: 'OPENAI' }])
  })

  it('tells members only that something pays, unless it is their own credential', async () => {
    const it = await setting()
    const id = await it.model()
    for (const role of ['MEMBER', 'VIEWER'] as const)
      expect(await it.payer(role)).toEqual({ provider: 'ANTHROPIC', restricted: true })
    it.app.db.prepare('UPDATE credentials SET created_by = ? WHERE id = ?').run(it.person('MEMBER').userId, id)
    expect(await it.payer('MEMBER')).toMatchObject({ credential_id: id })
    expect((await it.call('OWNER', 'GET', '/agents')).body[0].pays_with, 'lists say nothing of it').toBe(null)
  })

  it('ends with a lease, an expired token, a failed credential, and a crew that is left', async () => {
    const it = await setting()
    await it.give(await it.model({ value: 'lease' }), { priority: 1, ttl_seconds: 10 })
    await it.give(await it.model({ value: 'token', token_expires_at: '2026-01-01T00:00:20Z' }), { priority: 2 })
    const failing = await it.model({ value: 'failing' })
    await it.give(failing, { priority: 3 })
    await it.give(await it.model({ value: 'crew', scope: 'CREW', crew_ids: [it.crew] }), { priority: 4 })
    const values = () => it.tokens().map(([token]) => token)
    expect(values()).toEqual(['lease', 'token', 'failing', 'crew'])
    it.clock.advance(10_000)
    expect(values()).toEqual(['token', 'failing', 'crew'])
    it.clock.advance(10_000)
    expect(values()).toEqual(['failing', 'crew'])
    it.app.db.prepare("UPDATE credentials SET status = 'ERROR' WHERE id = ?").run(failing)
    expect(values()).toEqual(['crew'])
    await it.call('OWNER', 'PATCH', `/agents/${it.agent}`, { crew_id: '' })
    expect(values()).toEqual([])
  })

  it('goes on to hold a spent key, which the sidecar knows to rest, while the status says so', async () => {
    const it = await setting()
    const [first, second] = [await it.model({ value: 'first' }), await it.model({ value: 'second' })]
    await it.give(first)
    await it.give(second, { priority: 1 })
    await it.app.write(() => markLimited(it.app, first, 300))
    const status = async () => (await it.call('VIEWER', 'GET', `/credentials/${first}`)).body.status
    expect(await status()).toBe('RATE_LIMITED')
    expect(it.tokens()).toHaveLength(2)
    expect(await it.payer()).toMatchObject({ credential_id: second })
    it.clock.advance(300_000)
    expect(await status()).toBe('ACTIVE')
    expect(await it.payer()).toMatchObject({ credential_id: first })
  })

  it('reaches every agent of its crew, as a variable of its name', async () => {
    const it = await setting()
    const id = await it.add({ name: 'GitHub token', value: 'gh', scope: 'CREW', crew_ids: [it.crew] })
    expect(it.delivered().secrets).toEqual([{ credentialId: id, name: 'GITHUB_TOKEN', value: 'gh' }])
    const own = await it.add({ value: 'mine' })
    await it.give(own, { env_var_name: 'github-token', priority: 99 })
    expect(it.delivered().secrets, 'its own wins').toEqual([{ credentialId: own, name: 'GITHUB_TOKEN', value: 'mine' }])
    await it.call('OWNER', 'DELETE', `/crews/${it.crew}`)
    expect(() => it.delivered()).toThrow('no such agent')
    expect((await it.call('OWNER', 'GET', `/credentials/${id}`)).body.crew_ids).toEqual([])
  })

  it('leaves on record who used it', async () => {
    const it = await setting()
    const id = await it.add()
    it.clock.advance(1000)
    await it.app.write(() => markUsed(it.app, [id, id], { agent_id: it.agent, run_id: 'r1' }))
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body.last_used_at).toBe('2026-01-01T00:00:01Z')
    const [use] = (await it.call('MANAGER', 'GET', `/credentials/${id}/audit`)).body
    expect(use).toMatchObject({
      event: 'USE',
      actor_type: 'system',
      actor_id: null,
      detail: { agent_id: it.agent, run_id: 'r1' },
    })
    expect((await it.call('MANAGER', 'GET', `/credentials/${id}/audit`)).body).toHaveLength(2)
  })

  it('cannot be had without the key that sealed it', async () => {
    const it = await setting()
    await it.give(await it.add())
    expect(() => deliveryOf({ ...it.app, vault: null }, it.agent)).toThrow('no encryption key')
  })
})

describe('credentials.assign', () => {
  it('gives a credential once, with its variable, number and lease', async () => {
    const it = await setting()
    const id = await it.add({ name: 'deploy' })
    const { status, body } = await it.call('ADMIN', 'POST', `/agents/${it.agent}/credentials`, {
      credential_id: id,
      env_var_name: 'deploy-key',
      priority: 2,
      ttl_seconds: 60,
    })
    expect({ status, body }).toEqual({ status: 201, body: { id: expect.any(String) } })
    expect(await it.assigned('VIEWER')).toEqual([
      {
        id: body.id,
        agent_id: it.agent,
        credential_id: id,
        credential_name: 'deploy',
        credential_type: 'SECRET',
        credential_provider: 'NONE',
        credential_status: 'ACTIVE',
        env_var_name: 'DEPLOY_KEY',
        priority: 2,
        created_at: '2026-01-01T00:00:00Z',
        expires_at: '2026-01-01T00:01:00Z',
        expired: false,
        lease_source: 'manual',
        lease_issued_at: '2026-01-01T00:00:00Z',
        grant_source: 'explicit',
      },
    ])
    expect((await it.call('VIEWER', 'GET', `/agents/${it.agent}`)).body._count.credentials).toBe(1)
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body._count.agents).toBe(1)
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_created',
      summary: expect.stringMatching(/^Credential "deploy" was assigned to Ada as DEPLOY_KEY by \S+@example\.com$/),
      agent_id: it.agent,
      crew_id: it.crew,
      payload: { entity_type: 'agent_credential', entity_id: body.id },
    })
    it.clock.advance(60_000)
    expect(await it.assigned()).toMatchObject([{ expired: true }])
  })

  it('gives it to one of many at the same time', async () => {
    const it = await setting()
    const id = await it.add()
    const answers = await Promise.all(
      ['A', 'B', 'C'].map((env_var_name) =>
        it.call('OWNER', 'POST', `/agents/${it.agent}/credentials`, { credential_id: id, env_var_name }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'already_assigned',
      field: 'credential_id',
    })
  })

  it('lists by variable, then highest number, with what comes from the crew', async () => {
    const it = await setting()
    await it.give(await it.add(), { env_var_name: 'B', priority: 1 })
    await it.give(await it.add(), { env_var_name: 'B', priority: 5 })
    await it.give(await it.add(), { env_var_name: 'A' })
    await it.add({ name: 'crew secret', scope: 'CREW', crew_ids: [it.crew] })
    const seen = (list: { env_var_name: string; priority: number; grant_source: string }[]) =>
      list.map((row) => [row.env_var_name, row.priority, row.grant_source])
    expect(seen(await it.assigned('MANAGER'))).toEqual([
      ['A', 0, 'explicit'],
      ['B', 5, 'explicit'],
      ['B', 1, 'explicit'],
      ['CREW_SECRET', 0, 'crew'],
    ])
    expect(seen(await it.assigned('VIEWER')), 'crew credentials are not for everyone').toHaveLength(3)
  })

  it.each([
    [{ env_var_name: 'A' }, 400, 'missing_field', 'credential_id'],
    [{ credential_id: 'ID' }, 400, 'missing_field', 'env_var_name'],
    [{ credential_id: 5, env_var_name: 'A' }, 400, 'invalid_field', 'credential_id'],
    [{ credential_id: 'ID', env_var_name: 'SVC_AGENT_ID' }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: '1A' }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: 'ſECRET' }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: 5 }, 400, 'invalid_field', 'env_var_name'],
    [{ credential_id: 'ID', env_var_name: 'A', priority: 1.5 }, 400, 'invalid_field', 'priority'],
    [{ credential_id: 'ID', env_var_name: 'A', priority: 1e9 }, 400, 'invalid_field', 'priority'],
    [{ credential_id: 'ID', env_var_name: 'A', ttl_seconds: -1 }, 400, 'invalid_field', 'ttl_seconds'],
    [{ credential_id: 'ID', env_var_name: 'A', ttl_seconds: 2_592_001 }, 400, 'invalid_field', 'ttl_seconds'],
    [{ credential_id: 'cnone00000000000000000000', env_var_name: 'A' }, 404, 'not_found', undefined],
  ])('refuses %j', async (body: Record<string, unknown>, status, code, field) => {
    const it = await setting()
    const id = await it.add()
    const answer = await it.call('OWNER', 'POST', `/agents/${it.agent}/credentials`, {
      ...body,
      ...(body['credential_id'] === 'ID' && { credential_id: id }),
    })
    expect({ status: answer.status, code: answer.body.code, field: answer.body.field }).toEqual({ status, code, field })
    expect(await it.assigned()).toEqual([])
  })

  it('refuses a credential of other crews, and takes 0 seconds for ever', async () => {
    const it = await setting()
    const other = await make(it.call, '/crews', { name: 'Other', slug: 'other' })
    const id = await it.add({ scope: 'CREW', crew_ids: [other.id] })
    const give = (credential_id: string) =>
      it.call('OWNER', 'POST', `/agents/${it.agent}/credentials`, { credential_id, env_var_name: 'A', ttl_seconds: 0 })
    expect((await give(id)).body).toMatchObject({ status: 400, field: 'credential_id' })
    expect((await give(await it.add())).status).toBe(201)
    expect((await it.assigned())[0]).not.toHaveProperty('expires_at')
  })

  it('knows no agent, credential or assignment of another workspace', async () => {
    const it = await setting()
    const id = await it.add()
    const mine = await it.give(id)
    const other = it.stranger()
    const theirs = (await it.call(other, 'POST', '/agents', { name: 'Eve', slug: 'eve' })).body.id
    const none = 'cnone00000000000000000000'
    const body = { credential_id: id, env_var_name: 'A' }
    for (const [method, path, sent] of [
      ['GET', `/agents/${it.agent}/credentials`, undefined],
      ['POST', `/agents/${it.agent}/credentials`, body],
      ['POST', `/agents/${theirs}/credentials`, body],
      ['DELETE', `/agents/${it.agent}/credentials/${mine}`, undefined],
      ['DELETE', `/agents/${theirs}/credentials/${mine}`, undefined],
      ['DELETE', `/agents/${theirs}/credentials/${none}`, undefined],
    ] as const) {
      expect((await it.call(other, method, path, sent)).status, `${method} ${path}`).toBe(404)
    }
    expect(await it.assigned()).toHaveLength(1)
  })
})

describe('credentials.unassign', () => {
  it('takes a credential back, once, and puts it on record', async () => {
    const it = await setting()
    const assignment = await it.give(await it.add({ name: 'deploy' }))
    const take = () => it.call('ADMIN', 'DELETE', `/agents/${it.agent}/credentials/${assignment}`)
    expect((await take()).body).toEqual({ success: true })
    expect((await take()).status).toBe(404)
    expect(it.delivered().secrets).toEqual([])
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'audit.entity_deleted',
      summary: expect.stringMatching(/^Credential "deploy" was withdrawn from Ada by \S+@example\.com$/),
      agent_id: it.agent,
    })
  })

  it('happens to all of a deleted agent', async () => {
    const it = await setting()
    const id = await it.add()
    await it.give(id)
    await it.call('OWNER', 'DELETE', `/agents/${it.agent}`)
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body._count.agents).toBe(0)
  })

  it('happens to none when the agent cannot be deleted', async () => {
    const it = await setting({ quiet: true })
    const id = await it.add({ name: 'deploy' })
    await it.give(id)
    failOn(it.app, 'agent.deleted')
    expect((await it.call('OWNER', 'DELETE', `/agents/${it.agent}`)).status).toBe(500)
    expect((await it.call('VIEWER', 'GET', `/credentials/${id}`)).body._count.agents).toBe(1)
    expect(it.delivered().secrets).toHaveLength(1)
  })
})

describe('knownSecrets', () => {
  it('are every live value of the workspace alone, fresh after each change', async () => {
    const it = await setting()
    const other = it.stranger()
    await it.call(other, 'POST', '/credentials', { name: 'x', value: 'theirs' })
    const id = await it.add({ value: 'one' })
    expect(knownSecrets(it.app, it.workspace)).toEqual(['one'])
    expect(knownSecrets(it.app, it.workspace), 'remembered').toBe(knownSecrets(it.app, it.workspace))
    await it.add({ value: 'two' })
    expect([...knownSecrets(it.app, it.workspace)].sort()).toEqual(['one', 'two'])
    await it.call('OWNER', 'DELETE', `/credentials/${id}`)
    expect(knownSecrets(it.app, it.workspace)).toEqual(['two'])
    expect(knownSecrets(it.app, other.workspace)).toEqual(['theirs'])
    expect(knownSecrets({ ...it.app, vault: null }, it.workspace)).toEqual([])
  })
})
