import { describe, expect, it } from 'vitest'
import { inCycle, nextStep, type TaskState } from '../../../../daemon/features/missions/rules.ts'

/** `a:COMPLETED`, or `b:PENDING<a,c` for a task that depends on others. */
const tasks = (...words: string[]): TaskState[] =>
  words.map((word) => {
    const [, id, status, needs] = /^(\w+):(\w+)(?:<([\w,]+))?$/.exec(word)!
    return { id: id!, status: status as TaskState['status'], depends_on: needs?.split(',') ?? [] }
  })

describe('the next step of a mission', () => {
  it.each([
    ['begins what depends on nothing', ['a:PENDING', 'b:PENDING<a'], { begin: ['a'], over: null }],
    ['begins what all is done for', ['a:COMPLETED', 'b:SKIPPED', 'c:PENDING<a,b'], { begin: ['c'], over: null }],
    ['waits for what is at work', ['a:IN_PROGRESS', 'b:PENDING<a'], { begin: [], over: null }],
    ['waits for people', ['a:AWAITING_APPROVAL', 'b:PENDING<a'], { begin: [], over: null }],
    ['is over when all is done', ['a:COMPLETED', 'b:SKIPPED'], { over: 'done' }],
    ['is over without tasks', [], { over: 'done' }],
    ['is stuck when the rest failed', ['a:COMPLETED', 'b:FAILED'], { over: 'stuck' }],
    [
      'blocks what hangs from a failure',
      ['a:FAILED', 'b:PENDING<a', 'c:PENDING<b'],
      { block: ['b', 'c'], over: 'stuck' },
    ],
    ['blocks what hangs from what was cancelled', ['a:CANCELLED', 'b:PENDING<a'], { block: ['b'], over: 'stuck' }],
    ['goes on beside a failure', ['a:FAILED', 'b:PENDING<a', 'c:PENDING'], { begin: ['c'], block: ['b'], over: null }],
    ['unblocks what may be done again', ['a:PENDING', 'b:BLOCKED<a'], { begin: ['a'], unblock: ['b'], over: null }],
    ['begins what was blocked', ['a:COMPLETED', 'b:BLOCKED<a'], { begin: ['b'], unblock: [], over: null }],
    ['blocks what depends on nothing that there is', ['a:PENDING<z'], { block: ['a'], over: 'stuck' }],
  ])('%s', (_, words, expected) => expect(nextStep(tasks(...words))).toMatchObject(expected))
})

describe('a cycle', () => {
  it.each([
    ['none', ['a:PENDING', 'b:PENDING<a', 'c:PENDING<a,b'], undefined],
    ['of one', ['a:PENDING<a'], 'a'],
    ['of two', ['a:PENDING<b', 'b:PENDING<a'], 'a'],
    ['behind others', ['a:PENDING', 'b:PENDING<a,d', 'c:PENDING<b', 'd:PENDING<c'], 'b'],
  ])('%s', (_, words, found) => expect(inCycle(tasks(...words))).toBe(found))

  it('is looked for in a long chain at once', () => {
    const chain = Array.from({ length: 5000 }, (_, at) => ({ id: `t${at}`, depends_on: at ? [`t${at - 1}`] : [] }))
    expect(inCycle(chain.reverse())).toBeUndefined()
  })
})
