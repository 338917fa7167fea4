import { expect, it } from 'vitest'
import { askable, endLeases, heldBack, issueLease } from '../../../../daemon/features/credentials/leases/service.ts'
import { agentWithCredentials } from '../../../support/granted.ts'

/** A guarded credential of the agent, and leases on it. */
async function place(assignment: object | null, scope: object = {}) {
  const it = await agentWithCredentials()
  const id = await it.add({ name: 'guarded', security_level: 3, ...scope })
  if (assignment) await it.give(id, { env_var_name: 'GUARDED', ...assignment })
  const lease = (seconds: number) =>
    it.app.writeNow(() => {
      const credential = askable(it.app, it.agent, { name: 'GUARDED' })!
      const about = { workspace: it.workspace, crew: it.crew, agent: it.agent, credential }
      return issueLease(it.app, { ...about, seconds, by: null, now: it.app.now() })
    })
  const end = () => it.app.writeNow(() => endLeases(it.app, 10))
  const has = () => it.delivered().secrets.map(({ name }) => name)
  return { ...it, id, lease, end, has }
}

it('a lease gives what is guarded, and leaves the assignment as a person made it', async () => {
  const it = await place({})
  expect([it.has(), heldBack(it.app, it.agent)]).toEqual([[], ['GUARDED']])
  it.lease(60)
  expect([it.has(), heldBack(it.app, it.agent), it.end()]).toEqual([['GUARDED'], [], 0])
  it.clock.advance(60_000)
  expect([it.has(), heldBack(it.app, it.agent), it.end(), it.end()]).toEqual([[], ['GUARDED'], 1, 0])
  expect((await it.assigned())[0]).toMatchObject({ expired: false, grant_source: 'explicit' })
  expect(it.entries().at(-1)).toMatchObject({ entry_type: 'credential.lease_ended' })
  expect(askable(it.app, it.agent, { id: it.id })).toMatchObject({ bound: true })
})

it('a lease never outlives an assignment that ends', async () => {
  const it = await place({ ttl_seconds: 60 })
  const until = it.lease(3600)
  expect(Date.parse(until) - it.app.clock()).toBeLessThanOrEqual(60_000)
  it.clock.advance(60_000)
  it.end()
  expect(it.has()).toEqual([])
  expect(askable(it.app, it.agent, { id: it.id })).toBeNull()
})

it('a lease on what the crew has makes no assignment that stays', async () => {
  const it = await agentWithCredentials()
  const scoped = await place(null, {})
  expect(askable(scoped.app, scoped.agent, { name: 'GUARDED' })).toBeNull()
  const id = await it.add({ name: 'guarded', security_level: 3, scope: 'CREW', crew_ids: [it.crew] })
  const credential = askable(it.app, it.agent, { id })!
  expect(credential.bound).toBe(false)
  const about = { workspace: it.workspace, crew: it.crew, agent: it.agent, credential }
  it.app.writeNow(() => issueLease(it.app, { ...about, seconds: 60, by: null, now: it.app.now() }))
  expect(askable(it.app, it.agent, { id })!.bound).toBe(false)
  it.clock.advance(60_000)
  it.app.writeNow(() => endLeases(it.app, 10))
  expect((await it.assigned()).map(({ grant_source }: { grant_source: string }) => grant_source)).toEqual(['crew'])
})
