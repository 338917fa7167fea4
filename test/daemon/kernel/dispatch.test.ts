import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { del, get, patch, post, put } from '#contract/define'
import type { App } from '#kernel/app'
import { actorOf, dispatch, register, tryOut } from '#kernel/dispatch'
import { type Actor, feature, gated, join, settled, staged, type Web, wished } from '#kernel/feature'
import { problem } from '#kernel/problem'
import type { RunSource } from '#kernel/runs'
import { daemon } from '#test'
import { rawEntry } from '../../support/raw-entry.ts'

const thing = Type.Object({ id: Type.String(), slug: Type.String() })
const body = Type.Object({ name: Type.Optional(Type.String()), secret: Type.Optional(Type.String()) })
const change = { summary: '', access: 'MEMBER', reply: thing, journal: ['audit.entity_updated'] } as const
const entity = { ...change, entity: 'credential' } as const

const endpoints = {
  create: post('/things', entity),
  described: post('/described', { ...entity, body }),
  founded: post('/founded', { ...change, entity: 'workspace' }),
  update: patch('/things/:thingId', { ...entity, body }),
  remove: del('/things/:thingId', entity),
  titled: post('/titled', entity),
  dropped: del('/holders/:holderId/things/:thingId', entity),
  thrown: post('/thrown', change),
  returned: post('/returned', change),
  prepared: post('/prepared', change),
  wish: post('/wish', change),
  wishKept: post('/kept', change),
  wishRefused: post('/refused', change),
  closed: post('/closed', change),
  scoped: post('/scoped', { ...change, scope: 'crews:write' }),
  ofAgents: post('/internal/things', { ...change, access: 'internal' }),
  read: get('/things', { summary: '', access: 'MEMBER', reply: Type.Boolean() }),
}

const row = { id: 'c1', slug: 'one', crew_id: 'c2', agent_id: 'c3' }

/** What a handler saw of the transaction, in order. */
type Trace = string[]

const things = (trace: Trace) =>
  feature(endpoints, (app: App) => {
    const at = (step: string) => trace.push(`${step}:${app.db.inTransaction ? 'in' : 'out'}`)
    const leave = ({ actor }: { actor: Actor }) =>
      rawEntry(app, { workspace_id: actor.workspace, type: 'exec.command', summary: 'left', actor_type: 'system' })
    return {
      create: () => row,
      described: () => row,
      founded: ({ actor }) => ({ id: actor.id, slug: 'home' }),
      ofAgents: () => row,
      update: () => row,
      remove: () => ({ ...row, slug: '' }),
      titled: () => ({ id: 'c1', slug: '', title: 'The first' }),
      dropped: () => ({ id: 5 as unknown as string, slug: '' }),
      thrown: (call) => {
        leave(call)
        throw problem('crew_not_running')
      },
      returned: (call) => {
        leave(call)
        return problem('crew_not_running')
      },
      prepared: staged(
        async () => at('prepare'),
        () => {
          at('commit')
          app.afterCommit(() => at('after'))
          return row
        },
      ),
      wish: wished(
        (call) => {
          at('wish')
          leave(call)
          return 'wished'
        },
        async (_call, wish) => {
          at('settle')
          return { id: String(wish), slug: '' }
        },
      ),
      wishKept: wished(
        () => 'kept',
        async () => row,
      ),
      wishRefused: wished(
        () => {
          throw problem('crew_not_running')
        },
        async () => {
          at('settle')
          return row
        },
      ),
      closed: gated(
        () => {
          throw problem('bootstrap_closed')
        },
        () => row,
      ),
      scoped: () => row,
      read: () => app.db.inTransaction,
    }
  })

const crewThing = { ...change, entity: 'crew' } as const
const guarded = {
  open: post('/open', { ...change, access: 'public' }),
  openThing: post('/open-thing', { ...entity, access: 'public' }),
  mine: post('/mine', { ...change, access: 'signed-in' }),
  capable: post('/capable', { ...change, access: 'ADMIN', capability: 'credential.create' }),
  stepped: post('/stepped', { ...change, stepUp: true }),
  scopedRead: get('/scoped', { summary: '', access: 'MEMBER', scope: 'crews:write', reply: thing }),
  looked: get('/looked', { summary: '', access: 'MEMBER', reply: thing, journal: ['audit.entity_updated'] }),
  ofCrew: post('/crews/:crewId/things', { ...change, access: 'MANAGER', crew: 'crewId' }),
  settled: post('/settled', change),
  settledRefused: post('/settled-refused', change),
  wishReturned: post('/wish-returned', change),
  full: post('/full', change),
  fullFirst: post('/full-first', change),
}
const recorded = {
  refused: post('/refused-thing', entity),
  placed: post('/placed', entity),
  named: post('/named', entity),
  replaced: put('/things/:thingId', { ...crewThing, body }),
  blank: patch('/blank/:thingId', { ...entity, body }),
  made: post('/agents-like', { ...change, entity: 'agent' }),
  dropped: del('/dropped/:thingId', { ...entity, reply: Type.Null() }),
}

/** Operations whose answers are what they were called with. */
const guards = (trace: Trace) =>
  feature(guarded, () => {
    const echo = (call: object) => call as never
    return {
      open: () => row,
      openThing: () => row,
      mine: () => row,
      capable: () => row,
      stepped: () => row,
      scopedRead: () => row,
      looked: () => row,
      ofCrew: echo,
      settled: settled({
        prepare: async () => 'ready',
        commit: (_call, ready) => ({ id: 'c1', slug: ready }),
        settle: (_call, { id, slug }, ready) => ({ id, slug: `${slug} ${ready} settled` }),
      }),
      settledRefused: settled({
        prepare: async () => null,
        commit: () => problem('crew_not_running') as never,
        settle: () => {
          trace.push('settle')
          return row
        },
      }),
      wishReturned: wished(
        () => problem('crew_not_running'),
        async () => {
          trace.push('settle')
          return row
        },
      ),
      full: () => {
        throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
      },
      fullFirst: staged(
        async () => {
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
        },
        () => row,
      ),
    }
  })

const records = (app: App) =>
  feature(recorded, () => ({
    refused: ({ actor }) => {
      rawEntry(app, { workspace_id: actor.workspace, type: 'exec.command', summary: 'left', actor_type: 'system' })
      return problem('crew_not_running')
    },
    placed: () => ({ ...row, workspace_id: app.db.prepare('SELECT id FROM workspaces').pluck().get() as string }),
    named: () => ({ id: 'c1', slug: '', name: 'The name', title: 'The title', crew_id: null, agent_id: null }),
    replaced: () => ({ id: 'c1', slug: 'web', agent_id: 'c3' }),
    blank: () => row,
    made: () => ({ id: 'c1', slug: 'ada', crew_id: 'c2' }),
    dropped: () => null,
  }))

async function setting(options: Parameters<typeof daemon>[0] = {}) {
  const it = await daemon(options)
  const trace: Trace = []
  register(it.app, { things: things(trace), guards: guards(trace), records: records(it.app) })
  const { userId, workspace, email } = it.person('MEMBER')
  const actor: Actor = { type: 'user', id: userId, email: null, workspace, role: 'MEMBER', token: null, session: null }
  const operation = (name: string) => it.app.operations.get(name.includes('.') ? name : `things.${name}`)!
  const run = (name: string, input: object = {}, who: Actor | null = actor, web?: Web): Promise<unknown> =>
    dispatch(it.app, operation(name), who, input, web).catch((error: { code?: string }) => error.code)
  const dry = (name: string, input: object = {}, who: Actor | null = actor, web?: Web) =>
    tryOut(it.app, operation(name), who, input, web)
  return { ...it, trace, run, dry, actor, email, types: () => it.entries().map(({ entry_type }) => entry_type) }
}

describe('dispatch', () => {
  it('calls a thing without a name by its title, and one without an id by the last of the path', async () => {
    const it = await setting()
    await it.run('titled')
    await it.run('dropped', { holderId: 'c8', thingId: 'c9' })
    expect(it.entries().map(({ payload, crew_id, agent_id }) => [payload, crew_id, agent_id])).toEqual([
      [{ action: 'create', entity_type: 'credential', entity_id: 'c1', name: 'The first' }, undefined, undefined],
      [{ action: 'delete', entity_type: 'credential', entity_id: 'c9', name: 'c9' }, undefined, undefined],
    ])
  })

  it('writes who did what to which thing, with the crew and agent that the row names', async () => {
    const it = await setting()
    expect(await it.run('create')).toEqual(row)
    expect(it.entries()).toMatchObject([
      {
        entry_type: 'audit.entity_created',
        summary: `Credential "one" was created by ${it.email}`,
        actor_type: 'user',
        actor_id: it.actor.id,
        crew_id: 'c2',
        agent_id: 'c3',
        payload: { action: 'create', entity_type: 'credential', entity_id: 'c1', name: 'one' },
        refs: { entity_type: 'credential', entity_id: 'c1' },
      },
    ])
  })

  it('names the members that were changed, never their values and no member that nobody knows', async () => {
    const it = await setting()
    await it.run('update', { thingId: 'c1', body: { name: 'x', secret: 'hush', [`${'y'.repeat(1000)}`]: 1 } })
    expect(it.entries()[0]!.payload).toEqual({
      action: 'update',
      entity_type: 'credential',
      entity_id: 'c1',
      name: 'one',
      metadata: { changed: ['name', 'secret'] },
    })
    expect(JSON.stringify(it.entries())).not.toContain('hush')
  })

  it('names no changed members of what is new', async () => {
    const it = await setting()
    await it.run('described', { body: { name: 'x' } })
    expect(it.entries()[0]!.payload).toEqual({
      action: 'create',
      entity_type: 'credential',
      entity_id: 'c1',
      name: 'one',
    })
  })

  it('records a new workspace in itself when the caller named none', async () => {
    const it = await setting()
    await it.run('founded', {}, { ...it.actor, workspace: '', id: it.workspace })
    expect(it.entries(it.workspace)).toMatchObject([
      { entry_type: 'audit.entity_created', payload: { entity_type: 'workspace', name: 'home' } },
    ])
  })

  it('leaves it to a wish to say that nothing changed', async () => {
    const it = await setting()
    const headers: string[] = []
    const web = { reply: { header: (name: string) => headers.push(name) } } as unknown as Web
    const ask = (name: string) => dispatch(it.app, it.app.operations.get(`things.${name}`)!, it.actor, {}, web)
    await ask('wishKept')
    expect(headers).toEqual([])
    await ask('prepared')
    expect(headers).toEqual(['muster-unchanged'])
  })

  it('calls a deleted thing by its id when it has no name', async () => {
    const it = await setting()
    await it.run('remove', { thingId: 'c1' })
    expect(it.entries()[0]).toMatchObject({
      entry_type: 'audit.entity_deleted',
      summary: `Credential "c1" was deleted by ${it.email}`,
    })
  })

  it('undoes what a thrown problem leaves behind, and keeps what came before a returned one', async () => {
    const it = await setting()
    expect(await it.run('thrown')).toBe('crew_not_running')
    expect(it.types()).toEqual([])
    expect(await it.run('returned')).toBe('crew_not_running')
    expect(it.types()).toEqual(['exec.command'])
  })

  it('prepares before the transaction, settles a wish after it, and reads without one', async () => {
    const it = await setting()
    await it.run('prepared')
    expect(await it.run('wish')).toEqual({ id: 'wished', slug: '' })
    expect(it.trace).toEqual(['prepare:out', 'commit:in', 'after:out', 'wish:in', 'settle:out'])
    expect(it.types()).toEqual(['exec.command'])
    expect(await it.run('read')).toBe(false)
  })

  it('does not settle a wish that was refused', async () => {
    const it = await setting()
    expect(await it.run('wishRefused')).toBe('crew_not_running')
    expect(it.trace).toEqual([])
  })

  it('asks for the role whoever dispatches', async () => {
    const it = await setting()
    expect(await it.run('create', {}, null)).toBe('no_credentials')
    expect(await it.run('create', {}, { ...it.actor, role: 'VIEWER' })).toBe('insufficient_role')
    expect(it.types()).toEqual([])
  })

  it('asks for the scope of a scoped token', async () => {
    const it = await setting()
    const narrow = (scope: string) => ({
      ...it.actor,
      token: { id: 't', tier: 'STANDARD', expires_at: null, scopes: [scope] },
    })
    for (const scope of ['agents:*', 'crews', 'crews:read'])
      expect(await it.run('scoped', {}, narrow(scope))).toBe('insufficient_scope')
    for (const scope of ['crews:write', 'crews:*', '*']) expect(await it.run('scoped', {}, narrow(scope))).toEqual(row)
  })

  it('hides from people what is there for agents', async () => {
    const it = await setting()
    expect(await it.run('ofAgents', {}, { ...it.actor, role: 'OWNER' })).toBe('not_found')
    expect(it.types()).toEqual([])
  })

  it('asks the gate whoever dispatches', async () => {
    const it = await setting()
    expect(await it.run('closed', {}, { ...it.actor, type: 'system' })).toBe('bootstrap_closed')
  })
})

/** The HTTP side of a call, and the headers that it is answered with. */
function answered() {
  const headers: [string, string][] = []
  const web = { reply: { header: (...header: [string, string]) => headers.push(header) } } as unknown as Web
  return { web, headers }
}

describe('register', () => {
  it('knows the operations, reactions, channels and sources of runs of all features', async () => {
    const it = await daemon()
    const source = { prompt: () => 'Work' } as unknown as RunSource
    const owner = () => 'a workspace'
    const one = feature({ read: guarded.scopedRead }, () => ({ read: () => row }), {
      channels: { kite: owner },
      sources: { kite: source },
      on: { 'crew.created': () => {} },
    })
    const two = feature({ open: guarded.open }, () => ({ open: gated(owner, () => row) }))
    register(it.app, { one: join(one), two })
    expect(it.app.reactor.wires).toEqual([
      expect.objectContaining({ feature: 'one', fact: 'crew.created', phase: 'on' }),
    ])
    expect([it.app.channels.get('kite'), it.app.sources.get('kite')]).toEqual([owner, source])
    expect(it.app.operations.get('one.read')).toMatchObject({ name: 'one.read', feature: 'one', gate: undefined })
    expect(it.app.operations.get('two.open')).toMatchObject({ name: 'two.open', feature: 'two', gate: owner })
  })
})

describe('who may', () => {
  it('call what is public: everybody', async () => {
    const it = await setting()
    expect(await it.run('guards.open', {}, null)).toEqual(row)
    expect(await it.run('guards.open')).toEqual(row)
  })

  it('call what is for everybody who is signed in: also who has no role', async () => {
    const it = await setting()
    expect(await it.run('guards.mine', {}, { ...it.actor, role: null, workspace: '' })).toEqual(row)
    expect(await it.run('guards.mine', {}, null)).toBe('no_credentials')
  })

  it('call what needs a role is told which one, and which one they have', async () => {
    const it = await setting()
    const detail = (role: Actor['role']) =>
      dispatch(it.app, it.app.operations.get('things.create')!, { ...it.actor, role }, {}).catch(
        (error: Error) => error.message,
      )
    expect(await detail('VIEWER')).toBe('This needs the role MEMBER or above; yours is VIEWER')
    expect(await detail(null)).toBe('This needs the role MEMBER or above; yours is none')
  })

  it('call with a capability in place of the role: who was given it, in that workspace', async () => {
    const it = await setting()
    expect(await it.run('guards.capable')).toBe('insufficient_role')
    const path = `/workspaces/${it.workspace}/members/${it.actor.id}/capabilities`
    await it.call('ADMIN', 'PATCH', path, { grant: ['credential.create'] })
    expect(await it.run('guards.capable')).toEqual(row)
    expect(await it.run('guards.capable', {}, { ...it.actor, type: 'system' })).toBe('insufficient_role')
    expect(await it.run('guards.capable', {}, { ...it.actor, workspace: 'another' })).toBe('insufficient_role')
    expect(await it.run('guards.capable', {}, { ...it.actor, role: 'ADMIN', id: 'admin' })).toEqual(row)
    expect(await it.run('create', {}, { ...it.actor, role: 'VIEWER' }), 'it counts nowhere else').toBe(
      'insufficient_role',
    )
  })

  it('call by a role in the crew that is named: a member of it, with that role', async () => {
    const it = await setting()
    const crewId = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
    expect(await it.run('guards.ofCrew', { crewId })).toBe('insufficient_role')
    await it.call('OWNER', 'POST', `/crews/${crewId}/members`, { user_id: it.actor.id, role: 'MANAGER' })
    expect(await it.run('guards.ofCrew', { crewId })).toMatchObject({ actor: { id: it.actor.id, role: 'MANAGER' } })
    expect(await it.run('guards.ofCrew', { crewId: 'another' })).toBe('insufficient_role')
  })

  it('call with a token of some scope: read everything', async () => {
    const it = await setting()
    const token = { id: 't', tier: 'STANDARD', expires_at: null, scopes: ['skills:write'] }
    expect(await it.run('guards.scopedRead', {}, { ...it.actor, token })).toEqual(row)
    expect(await it.run('create', {}, { ...it.actor, token }), 'no scope is asked for').toEqual(row)
  })

  it('call what asks for the second factor: who showed it lately, or uses a token', async () => {
    const it = await setting()
    const session = (stale: boolean) => ({ ...it.actor, session: { id: 's', stale, unproven: false } })
    expect(await it.run('guards.stepped', {}, session(true))).toBe('step_up_required')
    expect(await it.run('guards.stepped', {}, session(false))).toEqual(row)
    expect(await it.run('guards.stepped')).toEqual(row)
    expect(await it.run('create', {}, session(true)), 'nothing else does').toEqual(row)
  })

  it('call as an agent: with what its token is bound to, and no role', async () => {
    const it = await setting()
    const bound = { workspace: it.workspace, crew: null, agent: 'a1' }
    const agent: Actor = { ...it.actor, type: 'agent', id: 'a1', role: null, bound }
    expect(await it.run('ofAgents', {}, agent)).toEqual(row)
    expect(await it.run('ofAgents', { body: { agent_id: 'a1' } }, agent)).toEqual(row)
    expect(await it.run('ofAgents', { body: { agent_id: 'a2' } }, agent)).toBe('internal_token_rejected')
    expect(await it.run('create', {}, agent)).toBe('insufficient_role')
  })
})

describe('a handler', () => {
  it('is called with the input, the caller and the time, and with the request when there is one', async () => {
    const it = await setting()
    const crewId = (await it.call('OWNER', 'POST', '/crews', { name: 'Web', slug: 'web' })).body.id as string
    const owner = { ...it.actor, role: 'OWNER' as const }
    expect(await it.run('guards.ofCrew', { crewId }, owner)).toEqual({
      crewId,
      actor: owner,
      now: '2026-01-01T00:00:00Z',
    })
    const { web } = answered()
    expect(await it.run('guards.ofCrew', { crewId }, owner, web)).toMatchObject({ web })
  })

  it('that settles is given what it prepared and what it stored', async () => {
    const it = await setting()
    expect(await it.run('guards.settled')).toEqual({ id: 'c1', slug: 'ready ready settled' })
  })

  it.each(['guards.settledRefused', 'guards.wishReturned'])('does not settle what it refused: %s', async (name) => {
    const it = await setting()
    expect(await it.run(name)).toBe('crew_not_running')
    expect(it.trace).toEqual([])
  })

  it('that finds the disk full is answered for in words', async () => {
    const it = await setting({ quiet: true })
    for (const name of ['guards.full', 'guards.fullFirst']) {
      expect(await it.run(name)).toBe('storage_full')
      await expect(it.dry(name)).rejects.toMatchObject({ code: 'storage_full' })
    }
  })
})

describe('a change that changes nothing', () => {
  it('says so to members, and to nobody about what is public or only read', async () => {
    const it = await setting()
    const said = async (name: string) => {
      const { web, headers } = answered()
      await it.run(name, { crewId: 'c' }, { ...it.actor, role: 'OWNER' }, web)
      return headers
    }
    for (const name of ['guards.mine', 'guards.settled'])
      expect(await said(name)).toEqual([['muster-unchanged', 'true']])
    for (const name of ['guards.open', 'guards.looked', 'guards.scopedRead', 'create', 'wish'])
      expect(await said(name), name).toEqual([])
  })
})

describe('the record of a change', () => {
  const last = (it: Awaited<ReturnType<typeof setting>>) => {
    const { crew_id, agent_id, payload } = it.entries().at(-1)!
    return [crew_id, agent_id, payload]
  }
  const audit = (action: string, entity_type: string, name: string, more = {}) => ({
    action,
    entity_type,
    entity_id: 'c1',
    name,
    ...more,
  })

  it('is none of what was refused, which keeps what came before', async () => {
    const it = await setting()
    expect(await it.run('records.refused')).toBe('crew_not_running')
    expect(it.types()).toEqual(['exec.command'])
  })

  it('stands in the workspace of the caller, else in that of the thing, else nowhere', async () => {
    const it = await setting()
    const nowhere = { ...it.actor, workspace: '', role: 'OWNER' as const }
    expect(await it.run('create', {}, nowhere)).toEqual(row)
    expect(it.app.index.head()).toBe(0)
    await it.run('records.placed', {}, nowhere)
    expect(it.types()).toEqual(['audit.entity_created'])
    expect(await it.run('guards.openThing', {}, null)).toEqual(row)
    expect(it.types()).toHaveLength(1)
  })

  it('names a thing by its name before its title, and no crew or agent that it has not', async () => {
    const it = await setting()
    await it.run('records.named')
    expect(last(it)).toEqual([undefined, undefined, audit('create', 'credential', 'The name')])
  })

  it('concerns the crew or the agent itself', async () => {
    const it = await setting()
    await it.run('records.replaced', { thingId: 'c1', body: { name: 'x' } })
    expect(last(it)).toEqual(['c1', 'c3', audit('update', 'crew', 'web', { metadata: { changed: ['name'] } })])
    await it.run('records.made')
    expect(last(it)).toEqual(['c2', 'c1', audit('create', 'agent', 'ada')])
  })

  it('names no changed members where there was no body', async () => {
    const it = await setting()
    await it.run('records.blank', { thingId: 'c1' })
    expect(last(it)).toEqual(['c2', 'c3', audit('update', 'credential', 'one')])
  })

  it('takes the id from the path where the answer is empty', async () => {
    const it = await setting()
    await it.run('records.dropped', { thingId: 'c1' })
    expect(last(it)).toEqual([undefined, undefined, audit('delete', 'credential', 'c1')])
  })

  it('says who: a person, an agent, or the system', () => {
    const person = { id: 'u1', type: 'user' } as Actor
    expect(actorOf(person)).toEqual({ actor_type: 'user', actor_id: 'u1' })
    expect(actorOf({ ...person, type: 'agent', id: 'a1' })).toEqual({ actor_type: 'agent', actor_id: 'a1' })
    expect(actorOf(null)).toEqual({ actor_type: 'system' })
  })
})

describe('tryOut', () => {
  it.each([
    ['create', true],
    ['prepared', true],
    ['guards.settled', false],
    ['wish', false],
  ])('of %s answers, knows whether that is the answer, and keeps nothing', async (name, known) => {
    const it = await setting()
    const tried = await it.dry(name)
    expect(tried.known).toBe(known)
    const types = { create: ['audit.entity_created'], wish: ['exec.command'] }[name] ?? []
    expect(tried.entries.map(({ entry }) => entry.entry_type)).toEqual(types)
    expect(it.types()).toEqual([])
    expect(it.trace).not.toContain('after:out')
    expect(it.trace).not.toContain('settle:out')
    if (name === 'prepared') expect(it.trace).toEqual(['prepare:out', 'commit:in'])
    if (name !== 'wish' && name !== 'guards.settled') expect(tried.answer).toEqual(row)
  })

  it('refuses as the change does', async () => {
    const it = await setting()
    for (const name of ['thrown', 'returned', 'wishRefused', 'guards.wishReturned'])
      await expect(it.dry(name)).rejects.toMatchObject({ code: 'crew_not_running' })
    await expect(it.dry('create', {}, null)).rejects.toMatchObject({ code: 'no_credentials' })
    await expect(it.dry('closed')).rejects.toMatchObject({ code: 'bootstrap_closed' })
  })

  it('says that nothing would change, but leaves it to a wish to say so', async () => {
    const it = await setting()
    const said = async (name: string) => {
      const { web, headers } = answered()
      await it.dry(name, {}, it.actor, web)
      return headers
    }
    for (const name of ['guards.mine', 'prepared']) expect(await said(name)).toEqual([['muster-unchanged', 'true']])
    for (const name of ['wishKept', 'create', 'guards.open']) expect(await said(name)).toEqual([])
  })
})
