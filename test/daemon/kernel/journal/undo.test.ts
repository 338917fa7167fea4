import { expect, it } from 'vitest'
import { createUndoLog } from '../../../../daemon/kernel/journal/undo.ts'

/** A log whose steps are named, and the names of those that were undone. */
function undoLog() {
  const undone: string[] = []
  const log = createUndoLog()
  const push = (...names: string[]) => {
    for (const name of names) log.push(() => undone.push(name))
  }
  return { log, push, undone: () => undone.splice(0) }
}

it('undoes everything where there is no mark, the last step first and once', () => {
  const { log, push, undone } = undoLog()
  push('a', 'b')
  log.rewind()
  expect(undone()).toEqual(['b', 'a'])
  log.rewind()
  expect(undone()).toEqual([])
})

it('undoes a change back to its mark, and all that is not stored when that is asked for', () => {
  const { log, push, undone } = undoLog()
  push('a')
  log.mark()
  push('b', 'c')
  log.rewind()
  expect(undone()).toEqual(['c', 'b'])
  push('d')
  log.forget()
  expect(undone()).toEqual(['d', 'a'])
  push('e')
  log.rewind()
  expect(undone()).toEqual(['e'])
})

it('undoes nothing of what is stored, and all that follows', () => {
  const { log, push, undone } = undoLog()
  push('a')
  log.mark()
  log.settle()
  log.forget()
  expect(undone()).toEqual([])
  log.mark()
  push('b')
  log.mark()
  log.settle()
  push('c')
  log.rewind()
  expect(undone()).toEqual(['c'])
})
