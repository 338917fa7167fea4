import { describe, expect, it } from 'vitest'
import { requestApproval } from '../../../daemon/features/approvals/service.ts'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'
import { cliFor } from '../../support/cli.ts'
import { workplace } from '../../support/runs.ts'

async function setUp() {
  const it = await workplace()
  const now = it.app.now()
  const hold = () =>
    it.app.writeNow(() =>
      requestApproval(it.app, {
        workspace: it.workspace,
        by: it.agentId,
        kind: 'custom',
        reason: 'Buy more disk',
        payload: {},
        card: { title: 'More disk?' },
        now,
      }),
    )
  const wait = () =>
    it.app.writeNow(() => openWaitpoint(it.app, { workspace: it.workspace, kind: 'approval', prompt: 'Deploy?', now }))
      .id
  const headers = { 'x-internal-token': it.app.internalTokens.ofCrew(it.workspace, it.crewId) }
  const ask = async (): Promise<string> => {
    const body = { workspace_id: it.workspace, crew_id: it.crewId, from_slug: 'ada', reason: 'May I?' }
    return (await it.call(null, 'POST', '/internal/escalations', body, headers)).body.escalation_id
  }
  return { it, hold, wait, ask, ...(await cliFor(it, 'ADMIN')) }
}

describe('muster approve and deny', () => {
  it('take every id that something waits under', async () => {
    const { it, hold, wait, ask, run } = await setUp()
    const [held, waiting, asked] = [hold(), wait(), await ask()]
    expect(await run('approve', held, '--comment', 'as agreed')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Approved.'),
    })
    expect(await run('approve', waiting)).toMatchObject({ code: 0 })
    expect(await run('deny', asked, '-m', 'Not today')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Denied. The agent goes on.'),
    })
    expect((await it.call('VIEWER', 'GET', `/escalations/${asked}`)).body).toMatchObject({
      action: 'reject',
      resolution: 'Not today',
    })
    for (const item of [`ibx_waitpoint_${hold()}`, `ibx_waitpoint_${wait()}`, `ibx_escalation_${await ask()}`])
      expect(await run('deny', item), item).toMatchObject({ code: 0, stderr: expect.stringContaining('Denied.') })
    expect((await run('inbox', 'list', '-q')).stdout).toBe('')
    expect(await run('approve', held)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('The ADMIN: approved at'),
    })
    expect((await run('approve', 'cnone00000000000000000000')).code).toBe(3)
  })

  it('decide as they say, whatever waits and by whatever name', async () => {
    const { it, hold, wait, ask, run } = await setUp()
    const stored = (id: string) => it.app.db.prepare('SELECT outcome FROM decisions WHERE id = ?').pluck().get(id)
    for (const [command, approval, waitpoint, action] of [
      ['approve', 'approved', 'approved', 'approve'],
      ['deny', 'denied', 'denied', 'reject'],
    ] as const) {
      for (const named of [(_: string, id: string) => id, (kind: string, id: string) => `ibx_${kind}_${id}`]) {
        const [held, waiting, asked] = [hold(), wait(), await ask()]
        expect((await run(command, named('waitpoint', held))).code).toBe(0)
        expect((await run(command, named('waitpoint', waiting))).code).toBe(0)
        expect((await run(command, named('escalation', asked))).code).toBe(0)
        expect([stored(held), stored(waiting)]).toEqual([approval, waitpoint])
        expect((await it.call('VIEWER', 'GET', `/escalations/${asked}`)).body.action).toBe(action)
      }
    }
  })

  it('let a MANAGER answer questions, and nothing beyond', async () => {
    const { it, hold, ask } = await setUp()
    const { run } = await cliFor(it, 'MANAGER')
    expect((await run('approve', await ask())).code).toBe(0)
    expect((await run('approve', hold())).code).toBe(4)
  })
})

describe('muster approvals and waitpoints', () => {
  it('list, show and withdraw', async () => {
    const { hold, wait, run } = await setUp()
    const held = hold()
    const waiting = wait()
    expect((await run('approvals')).stdout).toContain(`${held}\tcustom`)
    expect((await run('waitpoints', '-q')).stdout).toBe(`${waiting}\n`)
    expect(await run('approvals', 'cancel', held, '--reason', 'too dear')).toMatchObject({ code: 0 })
    expect(JSON.parse((await run('approvals', 'show', held, '--json')).stdout)).toMatchObject({
      status: 'cancelled',
      decision_comment: 'too dear',
    })
    expect((await run('approvals', 'list', '-q')).stdout).toBe('')
    expect((await run('approvals', 'list', '--status', 'all', '-q')).stdout).toBe(`${held}\n`)
  })
})
