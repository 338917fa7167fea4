import { describe, expect, it } from 'vitest'
import { routines } from '../../../support/routines.ts'

describe('a run of a routine', () => {
  it('does its steps one after the other, and gives what the last one gave', async () => {
    const { save, run } = await routines()
    await save(
      'sum',
      [
        { id: 'list', type: 'code', code: { code: 'inputs.numbers.map(n, n * 2.0)' } },
        { id: 'size', type: 'transform', transform: { input: '{{ steps.list.output }}', expression: '. | length' } },
      ],
      { inputs: [{ name: 'numbers', type: 'array', required: true }] },
    )
    const done = await run('sum', { inputs: { numbers: [1, 2, 3] } })
    expect(done).toMatchObject({ status: 'COMPLETED', output: 3 })
  })
})
