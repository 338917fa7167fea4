import { describe, expect, it } from 'vitest'
import { noteLimit } from '#contract/notes'
import { leaveNote, type NewNote } from '../../../daemon/features/notes/service.ts'
import { agentAtWork } from '../../support/agent-at-work.ts'
import { init, result, says } from '../../support/claude-lines.ts'

async function place() {
  const it = await agentAtWork()
  const leave = (text: string, more: Partial<NewNote> = {}) =>
    it.app.write(() => leaveNote(it.app, { runId: it.runId, kind: 'collision', text, ...more }))
  const take = async (more: Parameters<typeof it.ask>[2] = {}) =>
    (await it.ask('/notes', {}, more)).body as { receipt: string | null; text: string }
  const acknowledge = async (receipt: string | null, more: Parameters<typeof it.ask>[2] = {}) =>
    (await it.ask('/notes/taken', { receipt }, more)).body
  const taken = () => it.entries().filter(({ entry_type }) => entry_type === 'run.note_taken')
  const kept = () => it.app.db.prepare('SELECT count(*) FROM notes').pluck().get()
  return { ...it, leave, take, acknowledge, taken, kept }
}

const nothing = { receipt: null, text: '' }

describe('a note', () => {
  it('is handed over to its agent, and taken once it is acknowledged', async () => {
    const it = await place()
    const id = await it.leave('Bob writes to a.ts, too')
    const { receipt, text } = await it.take()
    expect(text).toBe('Bob writes to a.ts, too')
    expect(it.taken()).toEqual([])
    expect(await it.acknowledge(receipt)).toEqual({ taken: 1 })
    expect(it.taken()).toMatchObject([
      {
        agent_id: it.agentId,
        crew_id: it.crewId,
        trace_id: it.runId,
        actor_type: 'agent',
        summary: 'Agent ada was told that its files collide with those of another agent',
        payload: { note_id: id, kind: 'collision' },
      },
    ])
    expect(await it.acknowledge(receipt)).toEqual({ taken: 0 })
    expect(await it.take()).toEqual(nothing)
    expect(it.taken()).toHaveLength(1)
  })

  it('is handed to one call at a time, to the same call again, and to another one after a while', async () => {
    const it = await place()
    await it.leave('Look')
    const first = await it.take({ id: 'one' })
    expect(first).toEqual({ receipt: 'one', text: 'Look' })
    expect(await it.take({ id: 'two' })).toEqual(nothing)
    expect(await it.take({ id: 'one' })).toEqual(first)
    it.clock.advance(14_999)
    expect(await it.take({ id: 'two' })).toEqual(nothing)
    it.clock.advance(1)
    expect(await it.take({ id: 'three' })).toEqual({ receipt: 'three', text: 'Look' })
    expect(await it.acknowledge('one')).toEqual({ taken: 0 })
    expect(await it.acknowledge('three')).toEqual({ taken: 1 })
  })

  it('comes with others, oldest first, as many as fit', async () => {
    const it = await place()
    const long = 'x'.repeat(noteLimit - 9)
    for (const text of ['One', 'Two', long]) await it.leave(text)
    const first = await it.take()
    expect(first.text).toBe('One\n\nTwo')
    await it.acknowledge(first.receipt)
    expect((await it.take()).text).toBe(long)
    await expect(it.leave('x'.repeat(noteLimit + 1))).rejects.toThrow(RangeError)
  })

  it('is for the caller in its own run alone', async () => {
    const it = await place()
    const bob = await it.mate('bob')
    const chat = await it.openChat(bob)
    const { run_id } = await it.send(chat, 'Work')
    await it.leave('For ada')
    expect(await it.take({ agentId: bob, runId: it.runId })).toEqual(nothing)
    expect(await it.take({ agentId: bob, runId: run_id })).toEqual(nothing)
    expect(await it.take({ runId: run_id })).toEqual(nothing)
    const { receipt } = await it.take()
    expect(await it.acknowledge(receipt, { agentId: bob })).toEqual({ taken: 0 })
    expect(await it.acknowledge(receipt, { runId: run_id })).toEqual({ taken: 0 })
    expect(await it.acknowledge(receipt)).toEqual({ taken: 1 })
  })

  it('goes with the end of its run', async () => {
    const it = await place()
    await it.leave('Too late')
    const program = await it.runtime.program()
    it.runtime.print(program, init, says('Done'), result())
    it.runtime.finish(program)
    await it.runs.ended(it.runId)
    expect(await it.take()).toEqual(nothing)
    expect(it.kept()).toBe(0)
    expect(await it.leave('Later still')).toBeNull()
    expect(await it.leave('Nowhere', { runId: 'none' })).toBeNull()
  })
})
