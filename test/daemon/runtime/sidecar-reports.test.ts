import { expect, it } from 'vitest'
import { daemon } from '#test'
import { keepReports } from '../../../daemon/runtime/sidecar-reports.ts'
import type { Runtime, SidecarReport } from '../../../daemon/runtime/types.ts'
import { refuseWrites } from '../../support/refusing.ts'

it('reports of sidecars outlast a disk that refuses', async () => {
  const { app, call, entries } = await daemon({ quiet: true })
  const { body } = await call('OWNER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })
  let report: (crewId: string, report: SidecarReport) => void = () => undefined
  keepReports(app, {
    onSidecarReport: (listener: typeof report) => {
      report = listener
    },
  } as Runtime)
  const { mend } = refuseWrites(app)
  for (const host of ['one.test', 'two.test']) report(body.id, { type: 'egress_denied', agentId: null, host, port: 443, reason: 'not allowed', unreported: 0 })
  await app.idle()
  const denied = () => entries().filter(({ entry_type }) => entry_type === 'network.egress')
  expect(denied()).toEqual([])
  await mend()
  await app.idle()
  expect(denied().map(({ payload }) => payload?.['host'])).toEqual(['one.test', 'two.test'])
})
