import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { del, get, patch, post } from '#contract/define'
import type { App } from '#kernel/app'
import { dispatch, register } from '#kernel/dispatch'
import { type Actor, feature, gated, staged, type Web, wished } from '#kernel/feature'
import { problem } from '#kernel/problem'
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

async function setting() {
  const it = await daemon()
  const trace: Trace = []
  register(it.app, { things: things(trace) })
  const { userId, workspace, email } = it.person('MEMBER')
  const actor: Actor = { type: 'user', id: userId, email: null, workspace, role: 'MEMBER', token: null, session: null }
  const run = (name: keyof typeof endpoints, input: object = {}, who: Actor | null = actor) =>
    dispatch(it.app, it.app.operations.get(`things.${name}`)!, who, input).catch(
      (error: { code?: string }) => error.code,
    )
  return { ...it, trace, run, actor, email, types: () => it.entries().map(({ entry_type }) => entry_type) }
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
