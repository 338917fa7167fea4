import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { tierOf, tiers } from '../../../../daemon/features/credentials/levels/service.ts'
import { agentWithCredentials as setting } from '../../../support/granted.ts'

const draft = { name: 'deploy', value: 'hush-0815' }

describe('levels of credentials', () => {
  it('are what the contract says, and an unknown one is the strictest', () => {
    const shown = Object.values(tiers).map((it) => [
      it.label,
      it.delivered,
      it.leastIntent,
      it.human,
      it.secondApprover,
      it.leastRisk,
    ])
    expect(shown).toEqual([
      ['L1 · low', true, 10, false, false, 1],
      ['L2 · medium', true, 15, false, false, 1],
      ['L3 · high', false, 25, false, false, 4],
      ['L4 · critical', false, 35, true, true, 6],
    ])
    expect(tierOf(7)).toBe(tiers[4])
  })

  it('are set, changed and shown; null is the lowest', async () => {
    const { call } = await daemon()
    const made = await call('OWNER', 'POST', '/credentials', { ...draft, security_level: 3 })
    expect(made.body).toMatchObject({ security_level: 3, security_level_label: 'L3 · high' })
    const path = `/credentials/${made.body.id}`
    expect((await call('MANAGER', 'PATCH', path, { security_level: 4 })).body.security_level).toBe(4)
    expect((await call('OWNER', 'PATCH', path, { description: 'x' })).body.security_level).toBe(4)
    expect((await call('OWNER', 'PATCH', path, { security_level: null })).body.security_level).toBe(1)
  })

  it('are lowered by ADMIN and above alone', async () => {
    const { call } = await daemon()
    const { body } = await call('OWNER', 'POST', '/credentials', { ...draft, security_level: 2 })
    const refused = await call('MANAGER', 'PATCH', `/credentials/${body.id}`, { security_level: 1 })
    expect(refused.body).toMatchObject({ status: 403, field: 'security_level' })
    expect((await call('ADMIN', 'PATCH', `/credentials/${body.id}`, { security_level: 1 })).status).toBe(200)
  })

  it('keep what is guarded from agents, also what a person assigned', async () => {
    const it = await setting()
    for (const security_level of [1, 2, 3, 4])
      await it.give(await it.add({ value: `v${security_level}`, security_level }), {
        env_var_name: `V${security_level}`,
      })
    expect(it.delivered().secrets.map(({ name }) => name)).toEqual(['V1', 'V2'])
  })

  it('leave the keys of models with the sidecar, which no agent reads', async () => {
    const it = await setting()
    await it.give(await it.model({ value: 'sk-ant-1', security_level: 4 }))
    expect(it.delivered().models.map(({ token }) => token)).toEqual(['sk-ant-1'])
  })
})
