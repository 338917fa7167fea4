import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { catalogue } from '../../../daemon/features/recipes/catalogue.ts'
import { everythingServer } from '../../support/everything-server.ts'
import { fakeServer, json } from '../../support/fake-server.ts'
import { recipeWithServer } from '../../support/recipes.ts'

const path = '/recipes/code-review-crew/install'
const values = { ANTHROPIC_API_KEY: 'sk-ant-hush', GH_TOKEN: 'ghp-hush' }

describe('recipes.install', () => {
  it('makes crew, credentials and MCP servers, and tells the journal', async () => {
    const { call, entries } = await daemon()
    const { status, body } = await call('ADMIN', 'POST', path, {
      credential_values: values,
      account_labels: { GH_TOKEN: 'octo' },
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      crew_id: expect.any(String),
      crew_slug: 'code-review',
      credentials_added: ['ANTHROPIC_API_KEY', 'GH_TOKEN'],
      credentials_reused: [],
      mcp_servers_added: ['github'],
    })
    const crew = (await call('OWNER', 'GET', `/crews/${body.crew_id}`)).body
    expect(crew).toMatchObject({ slug: 'code-review', icon: 'git-pull-request', color: 'blue' })
    const stored = (await call('OWNER', 'GET', '/credentials')).body
    expect(stored).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'ANTHROPIC_API_KEY',
          type: 'API_KEY',
          provider: 'ANTHROPIC',
          status: 'ACTIVE',
        }),
        expect.objectContaining({ name: 'GH_TOKEN', type: 'CLI_TOKEN', provider: 'GITHUB', account_label: 'octo' }),
      ]),
    )
    const [server] = (await call('OWNER', 'GET', `/crews/${body.crew_id}/integrations`)).body
    expect(server).toMatchObject({ name: 'github', transport: 'stdio', command: 'npx', enabled: true })
    expect(JSON.parse(server.args_json)).toEqual(['-y', '@modelcontextprotocol/server-github'])
    expect(Object.keys(JSON.parse(server.env_json))).toEqual(['GITHUB_PERSONAL_ACCESS_TOKEN'])
    const kinds = entries()
      .slice(-4)
      .map(({ payload }) => (payload as { entity_type: string }).entity_type)
    expect(kinds.sort()).toEqual(['credential', 'credential', 'crew', 'integration'])
    expect(JSON.stringify([body, entries()])).not.toMatch(/hush/)
  })

  it.each(catalogue().map(({ slug }) => slug))('makes %s, and uses all of it a second time', async (slug) => {
    const { call } = await daemon()
    const { credentials, mcp_servers } = catalogue().find((recipe) => recipe.slug === slug)!
    const names = credentials.map(({ env_var_name }) => env_var_name)
    const credential_values = Object.fromEntries(names.map((name) => [name, `${name}-value`]))
    expect(await call('ADMIN', 'POST', `/recipes/${slug}/install`, { credential_values })).toMatchObject({
      status: 201,
      body: { credentials_added: names, mcp_servers_added: mcp_servers.map(({ name }) => name) },
    })
    const types = new Map(
      (await call('OWNER', 'GET', '/credentials')).body.map(({ name, type }: Record<string, string>) => [name, type]),
    )
    // No model is reached with a key of no provider, so programs and agents are given it as a secret.
    for (const { env_var_name, provider, type } of credentials)
      expect(types.get(env_var_name)).toBe(provider === 'NONE' ? 'SECRET' : type)
    expect((await call('ADMIN', 'POST', `/recipes/${slug}/install`, {})).body).toMatchObject({
      credentials_added: [],
      credentials_reused: names,
    })
  })

  it('uses what the workspace has, whatever value is given, and the next free slug', async () => {
    const { call } = await daemon()
    await call('ADMIN', 'POST', path, { credential_values: values })
    const again = await call('OWNER', 'POST', path, { credential_values: { GH_TOKEN: 'another' } })
    expect(again.body).toMatchObject({
      crew_slug: 'code-review-2',
      credentials_added: [],
      credentials_reused: ['ANTHROPIC_API_KEY', 'GH_TOKEN'],
    })
    expect((await call('OWNER', 'POST', path)).body).toMatchObject({ crew_slug: 'code-review-3' })
    expect((await call('OWNER', 'GET', '/credentials')).body).toHaveLength(2)
  })

  it.each([
    [{}, ['ANTHROPIC_API_KEY', 'GH_TOKEN']],
    [{ credential_values: { GH_TOKEN: 'x' } }, ['ANTHROPIC_API_KEY']],
    [{ credential_values: { ...values, GH_TOKEN: '  ' } }, ['GH_TOKEN']],
  ])('makes nothing without a value for each: %j', async (body, missing_credentials) => {
    const { call, entries } = await daemon()
    const before = entries().length
    const refused = await call('ADMIN', 'POST', path, body)
    expect(refused.body).toMatchObject({
      status: 400,
      code: 'missing_values',
      field: 'credential_values',
      missing_credentials,
    })
    expect(refused.text).not.toContain('hush')
    expect((await call('OWNER', 'GET', '/crews')).body).toEqual([])
    expect((await call('OWNER', 'GET', '/credentials')).body).toEqual([])
    expect(entries().length).toBe(before)
  })

  it('makes nothing when one part fails', async () => {
    const { call } = await daemon()
    const taken = { name: 'GH_TOKEN', type: 'SECRET', value: 'x-secret', token_expires_at: '2020-01-01T00:00:00Z' }
    expect((await call('OWNER', 'POST', '/credentials', taken)).status).toBe(201)
    const refused = await call('ADMIN', 'POST', path, { credential_values: values })
    expect(refused.body).toMatchObject({ status: 409, code: 'name_taken' })
    expect((await call('OWNER', 'GET', '/crews')).body).toEqual([])
    expect((await call('OWNER', 'GET', '/credentials')).body).toHaveLength(1)
  })

  it('of two at once makes the credentials once', async () => {
    const { call } = await daemon()
    const both = await Promise.all([1, 2].map(() => call('ADMIN', 'POST', path, { credential_values: values })))
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    expect(both.map(({ body }) => body.crew_slug).sort()).toEqual(['code-review', 'code-review-2'])
    expect((await call('OWNER', 'GET', '/credentials')).body).toHaveLength(2)
  })

  it('is for ADMIN and OWNER, and knows no other recipe', async () => {
    const { call } = await daemon()
    expect((await call('MANAGER', 'POST', path, { credential_values: values })).status).toBe(403)
    expect((await call('OWNER', 'POST', '/recipes/none/install', {})).status).toBe(404)
  })

  it('needs an encryption key', async () => {
    const { call } = await daemon({ withVault: false })
    const { body } = await call('OWNER', 'POST', path, { credential_values: values })
    expect(body).toMatchObject({ status: 503, code: 'encryption_unavailable' })
    expect((await call('OWNER', 'GET', '/crews')).body).toEqual([])
  })
})

describe('recipes.install with servers at addresses', () => {
  function withServer(endpoint: string): { path: string; body: object } {
    return { path: `/recipes/${recipeWithServer(endpoint)}/install`, body: { credential_values: values } }
  }

  const allowing = (url: string) => daemon({ config: { integrationHosts: [new URL(url).host] } })

  it('makes what it says when a real one answers', async () => {
    const { url } = await everythingServer()
    const { call } = await allowing(url)
    const { path, body } = withServer(url)
    expect(await call('ADMIN', 'POST', path, body)).toMatchObject({
      status: 201,
      body: { mcp_servers_added: ['local', 'remote'] },
    })
  })

  it('takes one that asks for a credential for one that is there', async () => {
    const { url } = await fakeServer((_, reply) => reply.writeHead(401).end())
    const { call } = await allowing(url)
    const { path, body } = withServer(url)
    expect((await call('ADMIN', 'POST', path, body)).status).toBe(201)
  })

  it.each<[string, (reply: ServerResponse) => unknown, RegExp]>([
    ['one is dead', (reply) => reply.destroy(), /remote cannot be used/],
    ['one answers with an error', (reply) => reply.writeHead(500).end(), /answered 500/],
    ['one is no MCP server', (reply) => json(reply, { hello: 1 }), /does not speak MCP/],
  ])('makes nothing when %s', async (_, answer, detail) => {
    const { url } = await fakeServer((__, reply) => answer(reply))
    const { call, entries } = await allowing(url)
    const before = entries().length
    const { path, body } = withServer(url)
    const refused = await call('ADMIN', 'POST', path, body)
    expect(refused.body).toMatchObject({
      status: 502,
      code: 'server_unreachable',
      server: 'remote',
      detail: expect.stringMatching(detail),
    })
    expect(refused.text).not.toContain('hush')
    expect((await call('OWNER', 'GET', '/crews')).body).toEqual([])
    expect((await call('OWNER', 'GET', '/credentials')).body).toEqual([])
    expect(entries().length).toBe(before)
  })

  it('makes nothing when nobody listens there, or the operator allows no private address', async () => {
    const { url, close } = await fakeServer((_, reply) => reply.end())
    const refusing = await daemon()
    const { path, body } = withServer(url)
    expect((await refusing.call('ADMIN', 'POST', path, body)).body.code).toBe('server_unreachable')
    await close()
    const { call } = await allowing(url)
    expect((await call('ADMIN', 'POST', path, body)).body.code).toBe('server_unreachable')
    expect((await call('OWNER', 'GET', '/crews')).body).toEqual([])
  })

  it('asks none before all values are there', async () => {
    const { url, seen } = await fakeServer((_, reply) => reply.end())
    const { call } = await allowing(url)
    const { path } = withServer(url)
    expect((await call('ADMIN', 'POST', path, {})).body.code).toBe('missing_values')
    expect(seen).toEqual([])
  })
})
