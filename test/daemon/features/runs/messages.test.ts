import { describe, expect, it } from 'vitest'
import { daemon } from '#test'
import { ownMessages, partsOutsideChats, sourceOf } from '../../../../daemon/features/runs/messages/service.ts'
import { findRun } from '../../../../daemon/features/runs/service.ts'
import { beginMadeUp, madeUp } from '../../../support/made-up-source.ts'

async function begun() {
  const place = await daemon()
  place.app.runs = { ...place.app.runs, available: true }
  const { id: crew_id } = (await place.call('OWNER', 'POST', '/crews', { name: 'Docks', slug: 'docks' })).body
  const { body } = await place.call('OWNER', 'POST', '/agents', { name: 'Ada', slug: 'ada', crew_id })
  const [one, other] = [await beginMadeUp(place, body.id), await beginMadeUp(place, body.id)]
  const run = (id: string) => findRun(place.app, id)!
  const keep = (id: string, message: Parameters<typeof ownMessages.keep>[2]) =>
    place.app.writeNow(() => ownMessages.keep(place.app, run(id), message))
  return {
    ...place,
    agent: body.id as string,
    one,
    other,
    run,
    keep,
    kept: (id: string) => ownMessages.kept(place.app, run(id)),
  }
}

describe('the messages of a run without a chat', () => {
  it('are kept as they came, in their order, each for its own run', async () => {
    const it = await begun()
    const whole = {
      role: 'assistant',
      content: 'I water.',
      parts: [{ type: 'text', content: 'I water.' }],
      toolSummary: 'Bash',
      metadata: { status: 'COMPLETED' },
    } as const
    it.keep(it.one, whole as never)
    it.clock.advance(1000)
    it.keep(it.one, { role: 'system', content: 'Over', parts: [], metadata: {} })
    it.keep(it.other, { role: 'user', content: 'Elsewhere' })
    expect(it.kept(it.one)).toEqual([
      { ...whole, ts: '2026-01-01T00:00:00.000Z' },
      { role: 'system', content: 'Over', toolSummary: null, ts: '2026-01-01T00:00:01.000Z' },
    ])
    expect(it.kept(it.other)).toMatchObject([{ content: 'Elsewhere' }])
  })

  it('give the parts of their agent, newest first, as many as are asked for', async () => {
    const it = await begun()
    const part = (content: string) => ({ type: 'text' as const, content })
    it.keep(it.one, { role: 'assistant', content: 'ab', parts: [part('a'), part('b')] })
    it.clock.advance(1000)
    it.keep(it.other, { role: 'system', content: 'c', parts: [part('c')] })
    let hidden = ''
    const said = (limit: number) =>
      partsOutsideChats(it.app, it.agent, limit, (run) => run !== hidden).map(({ role, part }) => [role, part.content])
    expect(said(9)).toEqual([
      ['system', 'c'],
      ['assistant', 'b'],
      ['assistant', 'a'],
    ])
    expect(said(2)).toHaveLength(2)
    hidden = it.other
    expect(said(1)).toEqual([['assistant', 'b']])
    expect(partsOutsideChats(it.app, 'nobody', 9, () => true)).toEqual([])
  })
})

it('a run whose source this version does not know has no prompt, and keeps its messages', async () => {
  const it = await begun()
  expect(sourceOf(it.app, { source: 'made-up' })).toBe(madeUp)
  const unknown = sourceOf(it.app, { source: 'of another version' })
  expect([unknown.prompt(it.app, it.run(it.one)), unknown.keep]).toEqual([null, ownMessages.keep])
})
