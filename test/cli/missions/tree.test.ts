import { describe, expect, it } from 'vitest'
import { treeOf } from '../../../cli/missions/tree.ts'
import { widthOf } from '../../../cli/output/width.ts'

const now = Date.parse('2026-01-01T00:01:00Z')
const task = (n: number, more: object = {}) => ({
  id: `t${n}`,
  title: `Task ${n}`,
  status: 'PENDING',
  task_order: n,
  agent_slug: null,
  depends_on: '[]',
  iteration: 1,
  started_at: null,
  completed_at: null,
  error_message: null,
  ...more,
})
const since = (...ids: string[]) => ({ depends_on: JSON.stringify(ids) })

describe('the tree of a mission', () => {
  it('has each task once, below the last that it depends on, and names the others', () => {
    const tasks = [task(1), task(2, since('t1')), task(3, since('t1')), task(4, since('t2', 't3')), task(5)]
    expect(treeOf(tasks, 'ada', now)).toEqual([
      '· 1 Task 1  pending  @ada',
      '  · 2 Task 2  pending  @ada',
      '  · 3 Task 3  pending  @ada',
      '    · 4 Task 4  pending  @ada  after 2',
      '· 5 Task 5  pending  @ada',
    ])
  })

  it('says who works on a task, for how long, and how often it was tried', () => {
    const started_at = '2026-01-01T00:00:18Z'
    const at = { agent_slug: 'bob', started_at }
    expect(
      treeOf(
        [
          task(1, { ...at, status: 'IN_PROGRESS', iteration: 2 }),
          task(2, { ...at, status: 'COMPLETED', completed_at: '2026-01-01T00:00:20Z', error_message: 'an old one' }),
          task(3, { ...at, status: 'FAILED', completed_at: '2026-01-01T00:00:19Z', error_message: 'No\nroom' }),
          task(4, { status: 'AWAITING_APPROVAL' }),
        ],
        'ada',
        now,
      ),
    ).toEqual([
      '▸ 1 Task 1  in progress  42 s  @bob  try 2',
      '✓ 2 Task 2  completed  2 s  @bob',
      '✗ 3 Task 3  failed  1 s  @bob  No',
      '? 4 Task 4  awaiting approval  @ada',
    ])
  })

  it('shortens titles, and lets none act on the terminal', () => {
    const [line] = treeOf([task(1, { title: `\u001b[2J${'漢'.repeat(60)}` })], 'ada', now)
    expect(line).not.toContain('\u001b')
    expect(widthOf(line!)).toBeLessThan(80)
  })
})
