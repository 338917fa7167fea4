import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { expireDue } from '../../../daemon/features/decisions/service.ts'
import { openWaitpoint } from '../../../daemon/features/waitpoints/service.ts'

async function setUp() {
  const it = await daemon()
  const open = (more: object = {}) =>
    it.app.writeNow(() =>
      openWaitpoint(it.app, {
        workspace: it.workspace,
        kind: 'approval',
        prompt: 'Go on?',
        run: 'run-1',
        step: 'step-2',
        now: it.app.now(),
        ...more,
      }),
    )
  const at = `/workspaces/${it.workspace}/pipelines/waitpoints`
  return {
    ...it,
    open,
    list: async (who: 'VIEWER' | 'MEMBER' | 'MANAGER' = 'VIEWER') => (await it.call(who, 'GET', at)).body,
    approve: (token: string, body: unknown = { approved: true }, who: 'MANAGER' | 'MEMBER' = 'MANAGER') =>
      it.call(who, 'POST', `${at}/${token}/approve`, body),
    card: async (id: string) => (await it.call('OWNER', 'GET', `/inbox/ibx_waitpoint_${id}`)).body,
  }
}

describe('waiting work', () => {
  it('is listed without its token, which nothing that is stored holds', async () => {
    const it = await setUp()
    const { id, token } = it.open()
    expect(await it.list()).toEqual([
      {
        id,
        token: id,
        pipeline_run_id: 'run-1',
        step_id: 'step-2',
        kind: 'approval',
        prompt: 'Go on?',
        timeout_at: '2026-01-02T00:00:00Z',
        created_at: '2026-01-01T00:00:00Z',
      },
    ])
    expect(await it.card(id)).toMatchObject({
      target_role: 'MANAGER',
      blocking: true,
      source_missing: false,
      payload: { waitpoint_id: id, pipeline_run_id: 'run-1' },
    })
    for (const table of ['waitpoints', 'inbox_items', 'journal'])
      expect(JSON.stringify(it.app.db.prepare(`SELECT * FROM ${table}`).all())).not.toContain(token)
  })

  it.each([
    ['id', true, 'approved', 'approval.granted'],
    ['token', false, 'denied', 'approval.denied'],
  ] as const)('Waitpoint: pending -> decided on approve by its %s', async (by, approved, status, entry) => {
    const it = await setUp()
    const made = it.open()
    expect((await it.approve(made[by], { approved, comment: 'why' })).body).toEqual({ ok: true, approved })
    expect(await it.list()).toEqual([])
    expect(await it.card(made.id)).toMatchObject({ state: 'resolved', resolved_action: status, source_missing: true })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: entry,
      trace_id: 'run-1',
      payload: { approval_id: made.id, comment: 'why' },
    })
    expect((await it.approve(made.id)).body).toMatchObject({
      status: 409,
      code: 'approval_settled',
      detail: `It was ${status} at 2026-01-01T00:00:00Z`,
      settled: { status },
    })
  })

  it('Waitpoint: pending -> timed_out on the end of its time', async () => {
    const it = await setUp()
    const [late, swept] = [it.open({ seconds: 60 }), it.open({ seconds: 60 })]
    it.clock.advance(60_000)
    expect(await it.list()).toEqual([])
    expect((await it.approve(late.id)).body).toMatchObject({
      status: 409,
      detail: 'The time to decide was over at 2026-01-01T00:01:00Z',
      settled: { status: 'timed_out' },
    })
    expect(await it.card(late.id)).toMatchObject({ state: 'resolved', resolved_action: 'timed_out' })
    expect(it.app.writeNow(() => expireDue(it.app, 10))).toBe(1)
    expect(await it.card(swept.id)).toMatchObject({ resolved_action: 'timed_out' })
  })
})

describe('a token', () => {
  it('decides alone, once, and is shown to nobody but those who may decide', async () => {
    const it = await setUp()
    const { token, id } = it.open()
    const show = (name = token) => it.call(null, 'POST', `/waitpoint-tokens/${name}`, { approved: true })
    for (const who of ['VIEWER', 'MEMBER'] as const) {
      const rows = await it.list(who)
      expect(rows).toMatchObject([{ id, token: id }])
      expect(JSON.stringify(rows)).not.toContain(token)
      expect(rows[0]).not.toHaveProperty('callback_url')
    }
    expect(await it.list('MANAGER')).toMatchObject([{ id, token, callback_url: `/api/v1/waitpoint-tokens/${token}` }])
    const stranger = it.stranger()
    const theirs = `/workspaces/${stranger.workspace}/pipelines/waitpoints`
    expect((await it.call(stranger, 'GET', theirs)).body).toEqual([])
    for (const wrong of [id, token.slice(1), `${token}x`, 'x'])
      expect((await show(wrong)).body).toMatchObject({ status: 404, code: 'not_found', field: 'token' })
    expect((await it.approve(token, { approved: true }, 'MEMBER')).status).toBe(403)
    expect(await show()).toMatchObject({ status: 200, body: { ok: true, approved: true } })
    expect(it.entries().at(-1)).toMatchObject({
      entry_type: 'approval.granted',
      actor_type: 'system',
      payload: { approval_id: id },
    })
    expect((await show()).body).toMatchObject({ status: 409, code: 'approval_settled' })
  })

  it('decides nothing once its time is over', async () => {
    const it = await setUp()
    const { token } = it.open({ seconds: 60 })
    it.clock.advance(60_000)
    expect((await it.call(null, 'POST', `/waitpoint-tokens/${token}`, { approved: true })).body).toMatchObject({
      status: 409,
      settled: { status: 'timed_out' },
    })
  })

  it('says nothing by itself: the decision has to be named', async () => {
    const it = await setUp()
    const { token } = it.open()
    for (const body of [undefined, {}, { approved: 'yes' }, { approved: null }]) {
      expect((await it.call(null, 'POST', `/waitpoint-tokens/${token}`, body)).status).toBe(400)
      expect((await it.approve(token, body ?? {})).status).toBe(400)
    }
    expect((await it.call('MANAGER', 'POST', `/waitpoint-tokens/${token}`, { approved: true })).body).toEqual({
      ok: true,
      approved: true,
    })
  })
})
