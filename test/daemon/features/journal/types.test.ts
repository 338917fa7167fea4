import { expect, it } from 'vitest'
import { types } from '../../../../daemon/features/journal/types.ts'

const named = (name: string) => types.filter((row) => row.name === name)

it('says what is recorded, by the names of the facts', () => {
  const [started] = named('run.started')
  expect(started).toMatchObject({ entry_type: 'run.started', severity: 'info', recorded: true })
  expect(started).not.toHaveProperty('entity_type')
  expect(started!.payload).toMatchObject({ type: 'object' })
  expect(named('crew.deleted')).toMatchObject([
    { entry_type: 'audit.entity_deleted', severity: 'notice', entity_type: 'crew', recorded: true },
  ])
  const recorded = types.filter((row) => row.recorded).map(({ name }) => name)
  expect(recorded).toEqual([...recorded].sort())
})

it('says last what later versions will record', () => {
  expect(named('llm.call')).toEqual([{ name: 'llm.call', entry_type: 'llm.call', severity: 'info', recorded: false }])
  const first = types.findIndex((row) => !row.recorded)
  expect(types.slice(first).every((row) => !row.recorded)).toBe(true)
})
