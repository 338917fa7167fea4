import { describe, expect, it, vi } from 'vitest'
import { type FactName, fact } from '#contract/entries'
import { createReactor, cycleOf, type Reaction, type Wire, wiresOf } from '../../../daemon/kernel/facts.ts'
import { daemon } from '../../support/index.ts'

const wire = (feature: string, fact: FactName, writes: FactName[] = [], run: Wire['run'] = () => undefined): Wire => ({
  feature,
  fact,
  phase: 'on',
  writes,
  run,
})

describe('the graph of reactions', () => {
  it('has no way back', () => {
    const wires = [
      wire('agents', 'crew.deleted', ['agent.deleted']),
      wire('ports', 'agent.deleted', ['network.port_closed']),
    ]
    expect(cycleOf(wires)).toBeNull()
  })

  it('tells of a circle, and is not connected then', () => {
    const wires = [
      wire('agents', 'crew.deleted', ['agent.deleted']),
      wire('ports', 'agent.deleted', ['network.port_closed']),
      wire('crews', 'network.port_closed', ['crew.deleted']),
    ]
    expect(cycleOf(wires)).toEqual(['crew.deleted', 'agent.deleted', 'network.port_closed', 'crew.deleted'])
    expect(() => createReactor().connect(wires)).toThrow(
      'Reactions form a cycle: crew.deleted -> agent.deleted -> network.port_closed -> crew.deleted',
    )
  })

  it('holds what was connected', () => {
    const reactor = createReactor()
    const wires = [wire('agents', 'crew.deleted', ['agent.deleted'])]
    reactor.connect(wires)
    expect(reactor.wires).toEqual(wires)
  })

  it('takes a function alone as a reaction that records nothing', () => {
    const run: Reaction['run'] = () => undefined
    expect(wiresOf('after', { 'crew.deleted': run })).toEqual([
      { fact: 'crew.deleted', phase: 'after', writes: [], run },
    ])
  })
})

describe('a recorded fact', () => {
  const about = (workspace_id: string) => ({ workspace_id, actor_type: 'system' }) as const
  const deleted = (workspace: string) => fact('crew.deleted', { entity_id: 'c1', name: 'backend' }, about(workspace))

  it('is stored with its type, severity, sentence and references', async () => {
    const { app, workspace } = await daemon()
    const { entry } = await app.write(() => app.journal(deleted(workspace)))
    expect(entry).toMatchObject({
      entry_type: 'audit.entity_deleted',
      severity: 'notice',
      summary: 'Crew backend was deleted by Muster',
      payload: { action: 'delete', entity_type: 'crew', entity_id: 'c1', name: 'backend' },
      refs: { entity_type: 'crew', entity_id: 'c1' },
    })
  })

  it('runs reactions within its change, in their order, and others after the commit', async () => {
    const { app, workspace } = await daemon()
    const seen: string[] = []
    app.reactor.connect([
      {
        ...wire('late', 'crew.deleted', [], () => seen.push(`late, in a change: ${app.db.inTransaction}`)),
        phase: 'after',
      },
      wire('first', 'crew.deleted', [], () => seen.push(`first, in a change: ${app.db.inTransaction}`)),
      wire('second', 'crew.deleted', [], (_, { payload }) =>
        seen.push(`second: ${(payload as { name: string }).name}`),
      ),
    ])
    await app.write(() => app.journal(deleted(workspace)))
    expect(seen).toEqual(['first, in a change: true', 'second: backend', 'late, in a change: false'])
  })

  it('is undone with the reaction that fails', async () => {
    const { app, workspace } = await daemon()
    const head = app.index.head()
    app.reactor.connect([
      wire('agents', 'crew.deleted', [], () => {
        throw new Error('no')
      }),
    ])
    await expect(app.write(() => app.journal(deleted(workspace)))).rejects.toThrow('no')
    expect(app.index.head()).toBe(head)
  })

  it('stands when a reaction after the commit fails, and the log says which', async () => {
    const { app, workspace } = await daemon()
    const error = vi.spyOn(app.log, 'error').mockReturnValue()
    const err = new Error('no')
    const run = () => {
      throw err
    }
    app.reactor.connect([{ ...wire('agents', 'crew.deleted', [], run), phase: 'after' }])
    await app.write(() => app.journal(deleted(workspace)))
    await app.idle()
    expect(error.mock.calls).toEqual([[{ err }, 'The reaction of agents after crew.deleted failed']])
  })

  it('refuses what a reaction did not declare', async () => {
    const { app, workspace } = await daemon()
    app.reactor.connect([
      wire(
        'agents',
        'crew.deleted',
        [],
        () => void app.journal(fact('agent.deleted', { entity_id: 'a1' }, about(workspace))),
      ),
    ])
    await expect(app.write(() => app.journal(deleted(workspace)))).rejects.toThrow(
      'The reaction of agents on crew.deleted does not declare that it records agent.deleted',
    )
  })

  it('reacts once to what no journal is told', async () => {
    const { app } = await daemon()
    const told: number[] = []
    app.reactor.connect([wire('agents', 'crew.deleted', [], (_, { recorded }) => void told.push(recorded.length))])
    await app.write(() => app.journalIn([], deleted('')))
    expect(told).toEqual([0])
  })
})
