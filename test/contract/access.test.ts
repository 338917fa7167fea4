import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract'
import { urlOf } from '#contract/define'
import { roles } from '#contract/roles'
import { daemon } from '#test'

const known = endpoints.map((it) => ({ ...it, url: urlOf(it.endpoint).replace(/:\w+/g, 'cnone00000000000000000000') }))
const weaker = (role: string) => roles[roles.indexOf(role as (typeof roles)[number]) - 1]
/** Nothing here gets past the checks, so one daemon serves all. */
const common = daemon({ shared: true })
const others = (method: string) => (['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const).filter((it) => it !== method)

/** Answers to calls that name no workspace, where they find one themselves: in what they concern, or the only one. */
const implied: Record<string, string | undefined> = {
  'agents.approveHire': 'not_found',
  'agents.setAvatar': 'not_found',
  'agents.stop': 'not_found',
  'approvals.decide': 'not_found',
  'approvals.list': undefined,
  'automations.list': undefined,
  'checkpoints.forkMission': 'invalid_json',
  'checkpoints.restore': 'not_found',
  'credentials.assign': 'not_found',
  'credentials.unassign': 'not_found',
}

describe.each(known)('$name', ({ name, endpoint, url }) => {
  const { method, access } = endpoint

  it.skipIf(access !== 'internal')('is not there for users, strangers and whatever a proxy passes on', async () => {
    const { call, app } = await common
    const token = { 'x-internal-token': app.internalTokens.ofWorkspace('w') }
    const answers = [
      await call('OWNER', method, url),
      await call(null, method, url),
      await call(null, method, url, undefined, { ...token, 'x-forwarded-for': '127.0.0.1' }),
    ]
    const unknown = await call(null, method, '/internal/unknown')
    for (const { status, body } of answers)
      expect({ status, code: body.code, detail: body.detail }).toEqual({
        status: 404,
        code: 'not_found',
        detail: unknown.body.detail,
      })
    const forged = { 'x-internal-token': `${token['x-internal-token'].slice(0, -1)}x` }
    expect((await call(null, method, url, undefined, forged)).body).toMatchObject({
      status: 403,
      code: 'internal_token_rejected',
    })
    expect((await call(null, method, `${url}?workspace_id=other`, undefined, token)).body).toMatchObject({
      status: 403,
      code: 'internal_token_rejected',
    })
    expect((await call(null, others(method)[0]!, '/internal/unknown')).status).toBe(404)
  })

  it.skipIf(access === 'public' || access === 'internal')('turns strangers away', async () => {
    const { call } = await common
    const { status, body, headers } = await call(null, method, url)
    expect({ status, code: body.code, error: body.error }).toEqual({
      status: 401,
      code: 'no_credentials',
      error: 'no_credentials',
    })
    expect(body.detail).toBe('Sign in first')
    expect(headers['www-authenticate']).toBe('Bearer error="no_credentials"')
  })

  it.skipIf(access === 'internal' || endpoint.kind === 'text' || endpoint.kind === 'stream')(
    'is kept by no cache',
    async () => {
      const { call } = await common
      expect((await call(null, method, url)).headers['cache-control']).toBe('no-store')
    },
  )

  it.skipIf(access === 'public' || access === 'internal')('refuses an unknown token', async () => {
    const { call } = await common
    const { status, body } = await call(null, method, url, undefined, { authorization: 'Bearer svc_cli_unknown' })
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'session_invalid' })
  })

  it.skipIf(!roles.includes(access as 'OWNER'))('asks for a workspace and for membership', async () => {
    const { call, person, stranger } = await common
    const owner = person('OWNER')
    const without = await call(
      { ...owner, workspace: '' },
      method,
      url.replace('/workspaces/cnone00000000000000000000', '/workspaces/%20'),
    )
    if (!endpoint.path.includes(':workspaceId'))
      expect(without.body.code).toBe(name in implied ? implied[name] : (endpoint.unnamed ?? 'workspace_required'))
    const foreign = await call({ ...stranger(), workspace: owner.workspace }, method, url)
    expect({ status: foreign.status, code: foreign.body.code }).toEqual({ status: 403, code: 'not_a_member' })
  })

  it.skipIf(!roles.includes(access as 'OWNER') || access === 'VIEWER')('refuses the role below its gate', async () => {
    const { call, workspace } = await common
    const { status, body } = await call(
      weaker(access)!,
      method,
      url.replace(
        'cnone00000000000000000000',
        endpoint.path.startsWith('/workspaces/:workspaceId') ? workspace : 'cnone00000000000000000000',
      ),
    )
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_role' })
  })

  it.skipIf(method === 'GET' || access === 'internal')('refuses a foreign origin', async () => {
    const { call } = await common
    const { status, body } = await call('OWNER', method, url, undefined, { origin: 'https://elsewhere.example' })
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'origin_rejected' })
  })

  it.skipIf(!endpoint.body)('refuses a body that is no JSON, no object or too large', async () => {
    const { call, app, workspace } = await (endpoint.access === 'public'
      ? daemon({ empty: true, config: { allowSignup: true } })
      : common)
    const who = endpoint.access === 'public' || access === 'internal' ? null : 'OWNER'
    const inside: Record<string, string> =
      access === 'internal' ? { 'x-internal-token': app.internalTokens.ofWorkspace(workspace) } : {}
    const usable = endpoint.malformed === 'ignore'
    // A body without a type may be any JSON. Another protocol wants its own headers first.
    const wanted = (body: string) =>
      body !== '{' && !('type' in endpoint.body!)
        ? [endpoint.status, ...(endpoint.access === 'public' ? [404] : []), ...(endpoint.root ? [406] : [])]
        : [400, 404]
    const at = endpoint.path.includes(':workspaceId') ? url.replace('cnone00000000000000000000', workspace) : url
    for (const body of ['{', '[]', '5', '"x"', `"${'x'.repeat(endpoint.bodyLimit ?? 1024 * 1024)}"`]) {
      const { status } = await call(who, method, at, body, inside)
      expect(
        usable && body.length < 1000
          ? [endpoint.status, ...(endpoint.path.includes(':') ? [404] : [])]
          : body.length < 1000
            ? wanted(body)
            : [400, 404, 413],
        `${status} for ${body.slice(0, 10)}`,
      ).toContain(status)
    }
    const much = Math.max(17 * 1024 * 1024, 2 * (endpoint.bodyLimit ?? 0))
    const declared = await call(who, method, at, '{}', { ...inside, 'content-length': String(much) })
    expect(declared.status).toBe(413)
  })

  it.skipIf(access === 'internal')('answers 405 with the methods it has', async () => {
    const { call } = await common
    const taken = new Set(known.filter((it) => it.url === url).map((it) => it.endpoint.method))
    const free = others(method).find((it) => !taken.has(it))
    if (!free) return
    const { status, headers, body } = await call('OWNER', free, url)
    expect({ status, error: body.error }).toEqual({ status: 405, error: 'method_not_allowed' })
    expect(String(headers['allow']).split(', ')).toContain(method)
  })
})
