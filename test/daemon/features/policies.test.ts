import { describe, expect, it } from 'vitest'
import { autonomyLevels } from '#contract/policies'
import { daemon, type TestDaemon } from '#test'
import { policyActions, verdictOf } from '../../../daemon/features/policies/rules.ts'
import { consult, policyOf } from '../../../daemon/features/policies/service.ts'
import { verdicts } from '../../support/policies.ts'

const crewOf = async ({ call }: TestDaemon, name = 'Backend') =>
  (await call('OWNER', 'POST', '/crews', { name, slug: name.toLowerCase() })).body.id as string

describe('policies', () => {
  it('begin as guided and warn, without who set them', async () => {
    const it = await daemon()
    const crew = await crewOf(it)
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/policy`)).body).toEqual({
      crew_id: crew,
      autonomy_level: 'guided',
      behavior_mode: 'warn',
    })
  })

  it('are listed by the name of the crew, whatever its case', async () => {
    const it = await daemon()
    const ids = [await crewOf(it, 'beta'), await crewOf(it, 'Alpha'), await crewOf(it, 'Gamma')]
    const { body } = await it.call('VIEWER', 'GET', '/policies')
    expect(body.map(({ crew_id }: { crew_id: string }) => ids.indexOf(crew_id))).toEqual([1, 0, 2])
    await it.call('OWNER', 'DELETE', `/crews/${ids[0]}`)
    expect((await it.call('VIEWER', 'GET', '/policies')).body).toHaveLength(2)
  })

  it('Crew policy: any -> new values on PUT policy', async () => {
    const it = await daemon()
    const crew = await crewOf(it)
    const put = (body: unknown) => it.call('MANAGER', 'PUT', `/crews/${crew}/policy`, body)
    expect(policyOf(it.app, it.workspace, crew).level).toBe('guided')
    const { status, body } = await put({
      autonomy_level: 'full',
      behavior_mode: 'warn',
      reason: '  on my own machine ',
    })
    const set = {
      crew_id: crew,
      autonomy_level: 'full',
      behavior_mode: 'warn',
      reason: 'on my own machine',
      set_by_user_id: it.person('MANAGER').userId,
      set_at: '2026-01-01T00:00:00Z',
    }
    expect({ status, body }).toEqual({ status: 200, body: set })
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/policy`)).body).toEqual(set)
    expect(policyOf(it.app, it.workspace, crew).level).toBe('full')
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'policy.changed',
      severity: 'notice',
      crew_id: crew,
      actor_type: 'user',
      summary: expect.stringMatching(
        /^The policy of crew backend was set to full with behavior mode warn by \S+@example\.com: "on my own machine"$/,
      ),
      payload: { autonomy_level: 'full', behavior_mode: 'warn', reason: 'on my own machine' },
      refs: { crew_id: crew },
    })
    await put({ autonomy_level: 'strict', behavior_mode: 'block' })
    expect((await it.call('VIEWER', 'GET', `/crews/${crew}/policy`)).body).not.toHaveProperty('reason')
  })

  it.each([
    [{ autonomy_level: 'full', behavior_mode: 'block', reason: 'x' }, 'forbidden_pairing', 'behavior_mode'],
    [{ autonomy_level: 'full', behavior_mode: 'warn' }, 'reason_required', 'reason'],
    [{ autonomy_level: 'full', behavior_mode: 'warn', reason: ' \n' }, 'reason_required', 'reason'],
    [{ autonomy_level: 'wild', behavior_mode: 'warn' }, 'invalid_field', 'autonomy_level'],
    [{ autonomy_level: 'strict', behavior_mode: 'shout' }, 'invalid_field', 'behavior_mode'],
    [{ autonomy_level: 'strict' }, 'missing_field', 'behavior_mode'],
    [{ behavior_mode: 'warn' }, 'missing_field', 'autonomy_level'],
  ])('refuses %j', async (body, code, field) => {
    const it = await daemon()
    const crew = await crewOf(it)
    expect((await it.call('OWNER', 'PUT', `/crews/${crew}/policy`, body)).body).toMatchObject({
      status: 400,
      code,
      field,
    })
    expect(policyOf(it.app, it.workspace, crew)).toMatchObject({ level: 'guided', mode: 'warn' })
  })

  it('answers for foreign, deleted and absent crews alike', async () => {
    const it = await daemon()
    const [crew, gone] = [await crewOf(it), await crewOf(it, 'Gone')]
    await it.call('OWNER', 'DELETE', `/crews/${gone}`)
    for (const [who, id] of [
      [it.stranger(), crew],
      ['OWNER', gone],
      ['OWNER', 'none'],
    ] as const)
      for (const [method, body] of [['GET'], ['PUT', { autonomy_level: 'strict', behavior_mode: 'warn' }]] as const)
        expect((await it.call(who, method, `/crews/${id}/policy`, body)).body).toMatchObject({
          status: 404,
          code: 'not_found',
        })
  })

  it('are an error, not a permission, when what is stored cannot be', async () => {
    const it = await daemon()
    const crew = await crewOf(it)
    it.app.db.prepare("UPDATE crews SET autonomy_level = 'full', behavior_mode = 'block'").run()
    expect((await it.call('OWNER', 'GET', `/crews/${crew}/policy`)).body.code).toBe('unavailable')
    expect(() => consult(it.app, { workspace: it.workspace, crew, action: 'agent_create' })).toThrow('not valid')
  })

  it('are looked up again after 10 seconds', async () => {
    const it = await daemon()
    const crew = await crewOf(it)
    policyOf(it.app, it.workspace, crew)
    it.app.db.prepare("UPDATE crews SET autonomy_level = 'trusted'").run()
    expect(policyOf(it.app, it.workspace, crew).level).toBe('guided')
    it.clock.advance(10_000)
    expect(policyOf(it.app, it.workspace, crew).level).toBe('trusted')
    expect(policyOf(it.app, it.workspace, 'none')).toMatchObject({ level: 'guided', mode: 'warn' })
  })
})

describe('the matrix', () => {
  it.each(Object.entries(verdicts))('says of %s: %j', (action, expected) =>
    expect(Object.fromEntries(autonomyLevels.map((level) => [level, verdictOf(action, level)]))).toEqual(expected),
  )
  it('has no other actions', () => expect(policyActions.filter((action) => !(action in verdicts))).toEqual([]))
})
