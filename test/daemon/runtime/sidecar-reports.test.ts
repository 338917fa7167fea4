import { expect, it } from 'vitest'
import type { App } from '#kernel/app'
import type { Runtime, SidecarReport } from '#runtime/types'
import { daemon } from '#test'
import { keepReports } from '../../../daemon/runtime/sidecar-reports.ts'
import { refuseWrites } from '../../support/refusing.ts'
import { workplace } from '../../support/runs.ts'

/** The sidecars' way to report to this daemon. */
function reporter(app: App): (crewId: string, report: SidecarReport) => void {
  let report: ((crewId: string, report: SidecarReport) => void) | undefined
  const onSidecarReport = (given: typeof report) => {
    report = given
  }
  keepReports(app, { onSidecarReport } as Partial<Runtime> as Runtime)
  return report!
}

const denied = { type: 'egress_denied', agentId: null, port: 443, reason: 'not on the list', unreported: 0 } as const

it('keeps no secret that an agent makes part of a host', async () => {
  const place = await workplace()
  await place.call('OWNER', 'POST', '/credentials', { name: 'deploy', value: 'plain-secret-1', type: 'SECRET' })
  reporter(place.app)(place.crewId, { ...denied, agentId: place.agentId, host: 'plain-secret-1.example.com' })
  await place.app.idle()
  expect(place.entries().at(-1)).toMatchObject({
    entry_type: 'network.egress',
    summary: 'A connection from Agent ada to "[redacted].example.com:443" was refused: not on the list',
    payload: { host: '[redacted].example.com', reason: 'not on the list' },
  })
})

it('reports of sidecars outlast a disk that refuses', async () => {
  const { app, call, entries } = await daemon({ quiet: true })
  const { body } = await call('OWNER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })
  const report = reporter(app)
  const { mend } = refuseWrites(app)
  for (const host of ['one.test', 'two.test']) report(body.id, { ...denied, host })
  await app.idle()
  const refused = () => entries().filter(({ entry_type }) => entry_type === 'network.egress')
  expect(refused()).toEqual([])
  await mend()
  await app.idle()
  expect(refused().map(({ payload }) => payload?.['host'])).toEqual(['one.test', 'two.test'])
})

it('a call that goes on with another credential is on record, with both by name', async () => {
  const place = await workplace()
  const store = async (name: string) =>
    (
      await place.call('OWNER', 'POST', '/credentials', {
        name,
        value: `value-of-${name}`,
        type: 'API_KEY',
        provider: 'ANTHROPIC',
      })
    ).body.id as string
  const [credentialId, nextId] = [await store('main'), await store('spare')]
  const failover = { type: 'credential_failover', agentId: place.agentId, status: 401, reason: 'refused' } as const
  reporter(place.app)(place.crewId, { ...failover, credentialId, nextId })
  reporter(place.app)(place.crewId, { ...failover, credentialId: 'none', nextId })
  await place.app.idle()
  const told = place.entries().filter(({ entry_type }) => entry_type === 'credential.failover')
  expect(told).toMatchObject([
    {
      severity: 'warn',
      agent_id: place.agentId,
      crew_id: place.crewId,
      summary: 'Calls of Agent ada go on with credential "spare": the provider refused "main"',
      payload: {
        credential_id: credentialId,
        credential_name: 'main',
        next_id: nextId,
        next_name: 'spare',
        reason: 'refused',
        status: 401,
      },
    },
  ])
})
