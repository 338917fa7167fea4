import { expect, it } from 'vitest'
import type { Runtime, SidecarReport } from '#runtime/types'
import { keepReports } from '../../../daemon/runtime/sidecar-reports.ts'
import { workplace } from '../../support/runs.ts'

it('keeps no secret that an agent makes part of a host', async () => {
  const place = await workplace()
  await place.call('OWNER', 'POST', '/credentials', { name: 'deploy', value: 'plain-secret-1', type: 'SECRET' })
  let report: ((crewId: string, report: SidecarReport) => void) | undefined
  const onSidecarReport = (given: typeof report) => {
    report = given
  }
  keepReports(place.app, { onSidecarReport } as Partial<Runtime> as Runtime)
  const denied = { type: 'egress_denied', agentId: place.agentId, port: 443, reason: 'not on the list', unreported: 0 } as const
  report!(place.crewId, { ...denied, host: 'plain-secret-1.example.com' })
  await place.app.idle()
  expect(place.entries().at(-1)).toMatchObject({
    entry_type: 'network.egress',
    summary: 'Connection to [redacted].example.com:443 refused: not on the list',
    payload: { host: '[redacted].example.com', reason: 'not on the list' },
  })
})
