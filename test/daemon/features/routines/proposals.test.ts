import { describe, expect, it } from 'vitest'
import { cliFor } from '../../../support/cli.ts'
import { routines } from '../../../support/routines.ts'

const steps = [{ id: 'a', type: 'code', code: { code: '1' } }]

async function scene() {
  const it = await routines()
  const propose = async () => {
    const definition = { dsl_version: '1.0', name: 'risky', steps }
    const body = { slug: 'risky', definition, skip_test_gate: true }
    const saved = await it.call('MANAGER', 'POST', `${it.W}/pipelines/save`, body)
    expect(saved.body, saved.text).toMatchObject({ risk_reasons: ['code_step'] })
    return saved.body
  }
  const cards = async () => (await it.call('MANAGER', 'GET', '/inbox')).body.rows
  const open = async () => (await cards()).filter(({ state }: { state: string }) => state !== 'resolved')
  const routine = async () => (await it.call('VIEWER', 'GET', `${it.W}/pipelines/risky`)).body
  const { run } = await cliFor(it, 'MANAGER')
  return { ...it, propose, cards, open, routine, muster: run }
}

describe('the card of a version that can do harm', () => {
  it('is approved from the inbox, and says what for', async () => {
    const { propose, open, routine, muster } = await scene()
    await propose()
    const [card] = await open()
    expect(card).toMatchObject({
      kind: 'escalation',
      payload: { kind: 'routine_proposal', slug: 'risky', to_version: 1, risk_reasons: ['code_step'] },
    })
    expect((await routine()).inbox_item_id).toBe(card.id)
    expect(await muster('approve', card.id, '-m', 'fine')).toMatchObject({ code: 0 })
    expect(await routine()).toMatchObject({ status: 'active', active_version: 1 })
    expect(await open()).toEqual([])
    expect((await muster('approve', card.id)).code).not.toBe(0)
  })

  it('is rejected from the inbox', async () => {
    const { propose, open, routine, muster } = await scene()
    await propose()
    expect(await muster('deny', (await open())[0].id)).toMatchObject({ code: 0 })
    expect(await routine()).toMatchObject({ status: 'disabled', active_version: null })
    expect(await open()).toEqual([])
  })

  it('is one, of the newest version', async () => {
    const { propose, open, cards, routine, muster, app } = await scene()
    await propose()
    await propose()
    expect(await cards()).toHaveLength(1)
    expect((await open())[0]).toMatchObject({ payload: { to_version: 2 } })
    const states = "SELECT state, outcome FROM decisions WHERE kind = 'routine_proposal' ORDER BY created_at, id"
    expect(app.db.prepare(states).all()).toEqual([
      { state: 'withdrawn', outcome: 'superseded' },
      { state: 'open', outcome: null },
    ])
    expect((await muster('approve', (await open())[0].id)).code).toBe(0)
    expect(await routine()).toMatchObject({ active_version: 2 })
  })

  it('is closed by a decision elsewhere, and with the routine', async () => {
    const { propose, open, call, W } = await scene()
    await propose()
    expect((await call('MANAGER', 'POST', `${W}/pipelines/risky/reject`, {})).status).toBe(200)
    expect(await open()).toEqual([])
    await propose()
    expect(await open()).toHaveLength(1)
    expect((await call('ADMIN', 'DELETE', `${W}/pipelines/risky`)).status).toBe(204)
    expect(await open()).toEqual([])
  })

  it('cannot be marked as resolved without a decision', async () => {
    const { propose, open, call } = await scene()
    await propose()
    const refused = await call('MANAGER', 'PATCH', `/inbox/${(await open())[0].id}`, { state: 'resolved' })
    expect(refused.body).toMatchObject({ code: 'source_managed' })
    expect(refused.text).toContain('muster approve')
  })
})
