import { expect, it } from 'vitest'
import { spark } from '../../../cli/output/spark.ts'

it.each([
  [[], ''],
  [[0, 0], '▁▁'],
  [[1, 2, 4, 7], '▂▃▅█'],
  [[0, 0.001, 1000], '▁▂█'],
  [[-1, 1], '▁█'],
])('%j is %s', (values, expected) => expect(spark(values)).toBe(expected))

it('is no wider than asked for, and keeps what stands out', () => {
  const values = Array.from({ length: 168 }, (_, n) => (n === 100 ? 7 : 0))
  expect(spark(values, 40)).toMatch(/^▁{20}█▁+$/)
  expect(spark(values, 40).length).toBeLessThanOrEqual(40)
})
