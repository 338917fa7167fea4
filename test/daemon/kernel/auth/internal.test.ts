import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { get, post } from '#contract/define'
import { checkBound, createInternalTokens, isLocalCaller } from '#kernel/auth/internal'
import { feature } from '#kernel/feature'
import { daemon } from '#test'

const master = 'm'.repeat(32)

describe('internal tokens', () => {
  const tokens = createInternalTokens(master)

  it('say what they are for', () => {
    expect(tokens.read(master)).toEqual({ workspace: null, crew: null, agent: null })
    expect(tokens.read(tokens.ofWorkspace('w'))).toEqual({ workspace: 'w', crew: null, agent: null })
    expect(tokens.read(tokens.ofCrew('w', 'c'))).toEqual({ workspace: 'w', crew: 'c', agent: null })
    expect(tokens.read(tokens.ofAgent('w', 'a'))).toEqual({ workspace: 'w', crew: null, agent: 'a' })
  })

  it('stay what they were: programs of before hold them', () => {
    const macs = {
      w: 'b009206aa95ca83c394e0c404869b631264cec95e8295b18a6fd1eeea31f69c1',
      c: '28ee789b0fe161a59da001b0e9c61dc0514da3d65052e021d2635c61aaa0b106',
      a: '7c26307ea24a76b703f51445e10ac7d34487e6bda9794e5e399e8020d69c4d13',
    }
    const [workspace, crew, agent] = [`wsv1.w1.${macs.w}`, `crwv1.w1.c1.${macs.c}`, `agtv1.w1.a1.${macs.a}`]
    expect(tokens.ofWorkspace('w1')).toBe(workspace)
    expect(tokens.ofCrew('w1', 'c1')).toBe(crew)
    expect(tokens.ofAgent('w1', 'a1')).toBe(agent)
    const about = (more: object) => tokens.about({ workspace: 'w1', crew: null, agent: null, ...more })
    expect(about({ workspace: null })).toEqual([master])
    expect(about({})).toEqual([master, workspace, macs.w])
    expect(about({ crew: 'c1' })).toEqual([master, workspace, crew, macs.w, macs.c])
    expect(about({ agent: 'a1' })).toEqual([master, workspace, agent, macs.w, macs.a])
  })

  it('have at most 500 characters', () => {
    expect(tokens.read(tokens.ofWorkspace('w'.repeat(430)))).toMatchObject({ workspace: 'w'.repeat(430) })
    expect(tokens.read(tokens.ofWorkspace('w'.repeat(431)))).toBeNull()
  })

  it('hold for their own ids, and for calls that name none', () => {
    const bound = { workspace: 'w', crew: null, agent: 'a' }
    expect(() => checkBound(bound, {})).not.toThrow()
    expect(() => checkBound(bound, { workspace_id: 'w', crew_id: 'any', agent_id: 'a' })).not.toThrow()
    for (const field of ['workspace_id', 'agent_id'])
      expect(() => checkBound(bound, { [field]: 'b' })).toThrow(
        expect.objectContaining({ code: 'internal_token_rejected', field }),
      )
  })

  it.each([
    ['nothing', ''],
    ['another master’s', createInternalTokens('n'.repeat(32)).ofCrew('w', 'c')],
    ['another kind', tokens.ofCrew('w', 'c').replace('crwv1', 'agtv1')],
    ['another crew', tokens.ofCrew('w', 'c').replace('.c.', '.d.')],
    ['ids put together differently', tokens.ofCrew('w.c', 'd')],
    ['more parts', `${tokens.ofWorkspace('w')}.x`],
    ['a prefix', tokens.ofWorkspace('w').slice(0, -1)],
    ['very long', 'wsv1.'.padEnd(1_000_000, 'x')],
  ])('are not read when they are %s', (_, token) => expect(tokens.read(token)).toBeNull())

  it.each([
    [undefined, {}, true],
    ['127.0.0.1', {}, true],
    ['::ffff:127.0.0.1', {}, true],
    ['::1', {}, true],
    ['10.0.0.1', {}, false],
    ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
    ['127.0.0.1', { 'x-real-ip': '' }, true],
    ['127.0.0.1', { 'x-real-ip': '127.0.0.1' }, false],
    ['127.0.0.1', { forwarded: 'for=1.1.1.1' }, false],
    [undefined, { 'x-forwarded-for': '1.1.1.1' }, false],
  ])('are taken from %s with %j: %s', (peer, headers, expected) => expect(isLocalCaller(peer, headers)).toBe(expected))
})

describe('an internal operation', () => {
  const inside = {
    summary: 'Say who calls',
    access: 'internal',
    reply: Type.Object({ id: Type.String(), type: Type.String() }),
  } as const
  const endpoints = {
    read: get('/internal/things', inside),
    write: post('/internal/things', {
      ...inside,
      journal: false,
      body: Type.Object({ workspace_id: Type.String(), crew_id: Type.Optional(Type.String()) }),
    }),
  }
  const who = ({ actor }: { actor: { id: string; type: string } }) => ({ id: actor.id, type: actor.type })
  const start = async () => {
    const it = await daemon({ features: { things: feature(endpoints, () => ({ read: who, write: who })) } })
    const ask = (token: string, method: string, path = '/internal/things', body?: object) =>
      it.call(null, method, path, body, { 'x-internal-token': token })
    return { ask, tokens: it.app.internalTokens, call: it.call }
  }

  it('knows whom the token stands for', async () => {
    const { ask, tokens } = await start()
    expect((await ask(tokens.ofAgent('w', 'a'), 'GET')).body).toEqual({ id: 'a', type: 'agent' })
    expect((await ask(tokens.ofCrew('w', 'c'), 'GET')).body).toEqual({ id: 'c', type: 'system' })
  })

  it('holds the ids of query and body against the token', async () => {
    const { ask, tokens } = await start()
    const token = tokens.ofCrew('w', 'c')
    expect((await ask(token, 'POST', '/internal/things', { workspace_id: 'w', crew_id: 'c' })).status).toBe(201)
    for (const body of [{ workspace_id: 'other' }, { workspace_id: 'w', crew_id: 'other' }])
      expect((await ask(token, 'POST', '/internal/things', body)).body).toMatchObject({
        status: 403,
        code: 'internal_token_rejected',
      })
    expect((await ask(token, 'GET', '/internal/things?crew_id=other')).body.status).toBe(403)
  })

  it('has no other methods and no neighbours that show', async () => {
    const { ask, tokens } = await start()
    const token = tokens.ofWorkspace('w')
    const [method, path] = [await ask(token, 'DELETE'), await ask(token, 'GET', '/internal/other')]
    for (const { status, body } of [method, path])
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' })
  })
})
