import { describe, expect, it } from 'vitest'
import {
  deliveryOf,
  knownSecrets,
  markLimited,
  markUsed,
  secretFiles,
} from '../../../../daemon/features/credentials/delivery/service.ts'
import { agentWithCredentials as setting } from '../../../support/granted.ts'

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
