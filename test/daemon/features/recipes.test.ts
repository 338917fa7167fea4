import { Compile } from 'typebox/compile'
import { describe, expect, it } from 'vitest'
import { Recipe } from '#contract/recipes'
import { daemon } from '#test'
import { catalogue } from '../../../daemon/features/recipes/catalogue.ts'

describe('recipes', () => {
  it('are those of the catalogue, in its order, for anybody who is signed in', async () => {
    const it = await daemon({ shared: true })
    const { status, body } = await it.call(it.person('VIEWER'), 'GET', '/recipes')
    expect(status).toBe(200)
    expect(body.map(({ slug }: { slug: string }) => slug)).toEqual(['code-review-crew', 'triage-crew', 'research-crew'])
    expect((await it.call('VIEWER', 'GET', '/recipes/triage-crew')).body).toEqual(body[1])
    expect((await it.call('VIEWER', 'GET', '/recipes/none')).status).toBe(404)
  })

  it.each(catalogue().map((recipe) => [recipe.slug, recipe] as const))('%s is whole', (_, recipe) => {
    expect([...Compile(Recipe).Errors(recipe)]).toEqual([])
    const held = recipe.credentials.map(({ env_var_name }) => env_var_name)
    for (const { env_mapping = {}, transport, command } of recipe.mcp_servers) {
      expect(held).toEqual(expect.arrayContaining(Object.values(env_mapping)))
      if (transport === 'stdio') expect(command).toBeTruthy()
    }
  })
})

describe('the preview of a recipe', () => {
  const path = '/recipes/code-review-crew/preview'
  const names = (rows: { env_var_name: string }[]) => rows.map(({ env_var_name }) => env_var_name)

  it('says which credentials are missing and which slug the crew would have, and changes nothing', async () => {
    const it = await daemon()
    const before = (await it.call('OWNER', 'GET', '/journal/count')).body
    const { status, body } = await it.call('VIEWER', 'GET', path)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      existing_credentials: {},
      crew_slug_available: true,
      resolved_crew_slug: 'code-review',
    })
    expect(names(body.needed_credentials)).toEqual(['ANTHROPIC_API_KEY', 'GH_TOKEN'])
    expect((await it.call('OWNER', 'GET', '/journal/count')).body).toEqual(before)
    expect((await it.call('OWNER', 'GET', '/crews')).body).toEqual([])
  })

  it('knows credentials by their name and by the variable under which an agent has them', async () => {
    const it = await daemon()
    const store = async (name: string) =>
      (await it.call('OWNER', 'POST', '/credentials', { name, type: 'SECRET', value: 'x-secret' })).body.id
    await store('gh_token')
    const other = await store('Other')
    const seen = async () => Object.keys((await it.call('VIEWER', 'GET', path)).body.existing_credentials)
    expect(await seen()).toEqual(['GH_TOKEN'])
    const agent = (await it.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada' })).body
    const given = { credential_id: other, env_var_name: 'ANTHROPIC_API_KEY' }
    expect((await it.call('OWNER', 'POST', `/agents/${agent.id}/credentials`, given)).status).toBe(201)
    expect(await seen()).toEqual(['ANTHROPIC_API_KEY', 'GH_TOKEN'])
    await it.call('OWNER', 'DELETE', `/credentials/${other}`)
    expect(await seen()).toEqual(['GH_TOKEN'])
  })

  it('knows nothing of other workspaces', async () => {
    const it = await daemon()
    await it.call('OWNER', 'POST', '/credentials', { name: 'GH_TOKEN', type: 'SECRET', value: 'x-secret' })
    await it.call('OWNER', 'POST', '/crews', { name: 'Review', slug: 'code-review' })
    const { body } = await it.call(it.stranger(), 'GET', path)
    expect(body).toMatchObject({ existing_credentials: {}, resolved_crew_slug: 'code-review' })
  })

  it('counts on where slugs are taken, a hundred times at most', async () => {
    const it = await daemon()
    const take = (slug: string) => it.call('OWNER', 'POST', '/crews', { name: slug, slug })
    await take('code-review')
    await take('code-review-3')
    expect((await it.call('VIEWER', 'GET', path)).body).toMatchObject({
      crew_slug_available: false,
      resolved_crew_slug: 'code-review-2',
    })
    for (let n = 2; n <= 100; n++) await take(`code-review-${n}`)
    const { status, body } = await it.call('VIEWER', 'GET', path)
    expect([status, body.code]).toEqual([409, 'slug_taken'])
  })
})
