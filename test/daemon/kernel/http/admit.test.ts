import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { del, get, patch, post, put } from '#contract/define'
import { type Actor, feature, gated } from '#kernel/feature'
import { requireHeld } from '#kernel/http/admit'
import { problem } from '#kernel/problem'
import { daemon, type Person } from '#test'

const seen = Type.Object({
  type: Type.String(),
  id: Type.String(),
  email: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  workspace: Type.String(),
  role: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
})
const plain = { summary: '', access: 'VIEWER', reply: seen, journal: false } as const
const endpoints = {
  look: get('/look', { summary: '', access: 'VIEWER', reply: seen }),
  mine: get('/mine', { summary: '', access: 'signed-in', reply: seen }),
  create: post('/things', plain),
  replace: put('/things', plain),
  change: patch('/things', plain),
  remove: del('/things', { ...plain, status: 200 }),
  unproven: get('/unproven', { summary: '', access: 'signed-in', unproven: true, reply: seen }),
  open: get('/open', { summary: '', access: 'public', reply: Type.Null() }),
  strict: get('/strict', { summary: '', access: 'public', rate: 'auth', reply: Type.Null() }),
  strictMine: get('/strict-mine', { summary: '', access: 'signed-in', rate: 'auth', reply: seen }),
  uncounted: get('/uncounted', { summary: '', access: 'public', rate: 'none', reply: Type.Null() }),
  managed: post('/managed', { ...plain, access: 'MANAGER' }),
  closed: post('/closed', { ...plain, throws: ['bootstrap_closed'] }),
  only: get('/only', { summary: '', access: 'VIEWER', workspace: 'only', reply: seen }),
  session: get('/session', {
    summary: '',
    access: 'VIEWER',
    workspace: 'session',
    unnamed: 'no_workspace',
    reply: seen,
  }),
  internal: get('/internal/look', { summary: '', access: 'internal', reply: seen, throws: ['not_found'] }),
  internalChange: post('/internal/things', { ...plain, access: 'internal' }),
}

/** Each answers with whom it was called by. */
const things = feature(endpoints, () => {
  const who = ({ actor }: { actor: Actor }) => actor
  return {
    look: who,
    mine: who,
    create: who,
    replace: who,
    change: who,
    remove: who,
    unproven: who,
    open: () => null,
    strict: () => null,
    strictMine: who,
    uncounted: () => null,
    managed: who,
    closed: gated(() => {
      throw problem('bootstrap_closed')
    }, who),
    only: who,
    session: who,
    internal: who,
    internalChange: who,
  }
})

async function setting(config: object = {}) {
  const it = await daemon({ features: { things }, config })
  const code = async (who: Person | null, method: string, path: string, headers = {}, body?: unknown) => {
    const answer = await it.call(who, method, path, body, headers)
    return answer.body?.code ?? answer.status
  }
  return { ...it, code }
}

describe('who calls', () => {
  it('is known by the token, with the role in the workspace that is named', async () => {
    const it = await setting()
    const { userId, email } = it.person('MANAGER')
    const known = { type: 'user', id: userId, email }
    expect((await it.call('MANAGER', 'GET', '/look')).body).toEqual({
      ...known,
      workspace: it.workspace,
      role: 'MANAGER',
    })
    expect((await it.call('MANAGER', 'GET', '/mine')).body).toEqual({ ...known, workspace: '', role: null })
  })

  it('is in the workspace of an id when the slug was named', async () => {
    const it = await setting()
    const slug = it.app.db.prepare('SELECT slug FROM workspaces').pluck().get() as string
    const { body } = await it.call({ ...it.person('VIEWER'), workspace: slug }, 'GET', '/look')
    expect(body.workspace).toBe(it.workspace)
  })

  it('is told why not', async () => {
    const it = await setting()
    const { token } = it.person('VIEWER')
    const headers = { authorization: `Bearer ${token.slice(0, -1)}` }
    expect(await it.code(null, 'GET', '/look')).toBe('no_credentials')
    const wrong = (await it.call(null, 'GET', '/look', undefined, headers)).body
    expect(wrong).toMatchObject({ status: 401, code: 'session_invalid' })
    expect(wrong).not.toHaveProperty('expired_at')
    it.app.db.exec("UPDATE cli_tokens SET expires_at = '2025-12-31T00:00:00Z'")
    expect((await it.call('VIEWER', 'GET', '/look')).body).toMatchObject({
      status: 401,
      code: 'session_invalid',
      detail: 'The token has expired',
      expired_at: '2025-12-31T00:00:00Z',
    })
  })

  it('is looked up by what came with the request, never by its query', async () => {
    const it = await setting()
    const asked: unknown[] = []
    it.app.auth.identify = (request) => {
      asked.push(request)
      return { reason: 'no_credentials' }
    }
    const came = { authorization: 'Bearer x', cookie: 'a=b', 'user-agent': 'test/1' }
    expect(await it.code(null, 'GET', '/mine?secret=1', came)).toBe('no_credentials')
    expect(asked).toEqual([
      {
        authorization: 'Bearer x',
        cookie: 'a=b',
        userAgent: 'test/1',
        remoteAddress: '127.0.0.1',
        secure: false,
        path: '/api/v1/mine',
      },
    ])
  })

  it('is refused before the body is read', async () => {
    const it = await setting()
    expect(await it.code(it.person('MEMBER'), 'POST', '/managed', {}, '{')).toBe('insufficient_role')
    expect(await it.code(it.person('MANAGER'), 'POST', '/closed', {}, '{')).toBe('bootstrap_closed')
    expect(await it.code(it.person('MANAGER'), 'POST', '/managed', {}, '{')).toBe('invalid_json')
  })
})

describe('a session', () => {
  async function withSession(unproven: boolean) {
    const it = await setting()
    const { userId, email, workspace } = it.person('VIEWER')
    const identity = { userId, email, token: null, session: { id: 's', stale: false, unproven } }
    it.app.auth.identify = async () => ({ identity })
    return (path: string) => it.code(null, 'GET', path, { 'x-workspace-id': workspace })
  }

  it('without the second factor of its user opens only what is said to be open', async () => {
    const ask = await withSession(true)
    expect([await ask('/look'), await ask('/mine'), await ask('/unproven')]).toEqual([
      'step_up_required',
      'step_up_required',
      200,
    ])
  })

  it('with it opens everything', async () => {
    const ask = await withSession(false)
    expect([await ask('/look'), await ask('/mine'), await ask('/unproven')]).toEqual([200, 200, 200])
  })
})

describe('a page of another origin', () => {
  it.each([
    ['POST', 'origin_rejected'],
    ['PUT', 'origin_rejected'],
    ['PATCH', 'origin_rejected'],
    ['DELETE', 'origin_rejected'],
  ])('may not %s', async (method, code) => {
    const it = await setting()
    expect(await it.code(it.person('VIEWER'), method, '/things', { origin: 'https://elsewhere.example' })).toBe(code)
    expect(await it.code(it.person('VIEWER'), method, '/things', { origin: 'http://localhost' })).toBeLessThan(300)
  })

  it('may read', async () => {
    const it = await setting()
    expect(await it.code(it.person('VIEWER'), 'GET', '/look', { origin: 'https://elsewhere.example' })).toBe(200)
  })
})

describe('the buckets', () => {
  const limited = { rateLimitDisabled: false, apiPerMinute: 2, authPerMinute: 3 }
  const ever = Number.POSITIVE_INFINITY
  it.each([
    ['nobody', '/open', 2, 200],
    ['nobody', '/look', 2, 'no_credentials'],
    ['nobody', '/strict', 3, 200],
    ['nobody', '/strict-mine', 3, 'no_credentials'],
    ['nobody', '/uncounted', ever, 200],
    ['VIEWER', '/open', ever, 200],
    ['VIEWER', '/look', ever, 200],
    ['VIEWER', '/strict', 3, 200],
    ['VIEWER', '/strict-mine', 3, 200],
  ] as const)('let %s ask %s %s times a minute', async (role, path, most, answer) => {
    const it = await setting(limited)
    const codes = []
    for (let n = 0; n < 5; n++) codes.push(await it.code(role === 'nobody' ? null : it.person(role), 'GET', path))
    expect(codes).toEqual(codes.map((_, n) => (n < most ? answer : 'rate_limited')))
  })
})

describe('the workspace', () => {
  it('must be named, even by who has one alone, but where that one is meant', async () => {
    const it = await setting()
    const unnamed = { ...it.person('VIEWER'), workspace: '' }
    expect(await it.code(unnamed, 'GET', '/look')).toBe('workspace_required')
    expect(await it.code(unnamed, 'GET', '/session')).toBe('no_workspace')
    expect((await it.call(unnamed, 'GET', '/only')).body).toMatchObject({ workspace: it.workspace, role: 'VIEWER' })
  })

  it('is named once', async () => {
    const it = await setting()
    const path = `/look?workspace_id=${it.workspace}&workspace_id=${it.workspace}`
    expect((await it.call('VIEWER', 'GET', path)).body).toMatchObject({
      status: 400,
      code: 'invalid_field',
      field: 'workspace_id',
    })
  })

  it('is that of the query before that of the header, or the other way round for a session', async () => {
    const it = await setting()
    const other = it.stranger()
    const where = async (path: string, header: string, query: string) =>
      it.code({ ...other, workspace: header }, 'GET', `${path}?workspace_id=${query}`)
    expect(await where('/look', it.workspace, other.workspace)).toBe(200)
    expect(await where('/look', other.workspace, it.workspace)).toBe('not_a_member')
    expect(await where('/session', other.workspace, it.workspace)).toBe(200)
    expect(await where('/session', it.workspace, other.workspace)).toBe('not_a_member')
    expect(await where('/session', '', other.workspace)).toBe(200)
  })

  it('lets nobody in who has yet to set up the second factor that it asks for', async () => {
    const it = await setting()
    it.app.db.exec('UPDATE workspaces SET require_two_factor = 1')
    expect(await it.code(it.person('VIEWER'), 'GET', '/look')).toBe('two_factor_required')
    expect(await it.code(it.person('VIEWER'), 'GET', '/mine')).toBe(200)
  })
})

describe('a caller of the internal interface', () => {
  const ask = async (it: Awaited<ReturnType<typeof setting>>, token: string | null, query = '', headers = {}) =>
    (
      await it.call(null, 'GET', `/internal/look${query}`, undefined, {
        ...(token !== null && { 'x-internal-token': token }),
        ...headers,
      })
    ).body

  it('is the agent, crew or workspace that the token is for', async () => {
    const it = await setting({ internalToken: 'm'.repeat(32) })
    const tokens = it.app.internalTokens
    const system = { type: 'system', email: null, role: null, workspace: 'w1' }
    expect(await ask(it, tokens.ofAgent('w1', 'a1'))).toEqual({ ...system, type: 'agent', id: 'a1' })
    expect(await ask(it, tokens.ofCrew('w1', 'c1'))).toEqual({ ...system, id: 'c1' })
    expect(await ask(it, tokens.ofWorkspace('w1'))).toEqual({ ...system, id: 'w1' })
    expect(await ask(it, it.app.config.internalToken)).toEqual({ ...system, id: 'internal', workspace: '' })
  })

  it('does not find anything without a token, or from elsewhere', async () => {
    const it = await setting()
    const token = it.app.internalTokens.ofAgent('w1', 'a1')
    expect((await ask(it, null)).code).toBe('not_found')
    expect((await ask(it, token, '', { 'x-forwarded-for': '127.0.0.1' })).code).toBe('not_found')
    expect((await ask(it, 'another')).code).toBe('internal_token_rejected')
  })

  it('speaks of nothing else in the query', async () => {
    const it = await setting()
    const token = it.app.internalTokens.ofAgent('w1', 'a1')
    expect(await ask(it, token, '?agent_id=a1&workspace_id=w1')).toMatchObject({ id: 'a1' })
    expect(await ask(it, token, '?agent_id=a2')).toMatchObject({ code: 'internal_token_rejected', field: 'agent_id' })
  })

  it('has no origin to be checked', async () => {
    const it = await setting()
    const headers = {
      'x-internal-token': it.app.internalTokens.ofAgent('w1', 'a1'),
      origin: 'https://elsewhere.example',
    }
    expect((await it.call(null, 'POST', '/internal/things', undefined, headers)).body).toMatchObject({ id: 'a1' })
  })
})

describe('requireHeld', () => {
  const nobody: Actor = {
    type: 'system',
    id: 's',
    email: null,
    workspace: '',
    role: null,
    token: null,
    session: null,
  }
  it('asks for the token or the session with which somebody came', async () => {
    const { app } = await daemon()
    const held = (given: Partial<Actor>) => {
      try {
        return requireHeld(app, { ...nobody, ...given })
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    expect(held({})).toBeUndefined()
    expect(held({ token: { id: 'gone', scopes: null, tier: 'STANDARD', expires_at: null } })).toBe('session_invalid')
    expect(held({ session: { id: 'gone', stale: false, unproven: false } })).toBe('session_revoked')
  })
})
