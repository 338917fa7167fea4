import { expect, it } from 'vitest'
import { createPauses } from '../../../../daemon/runtime/sidecar/pauses.ts'

const refusal = { status: 429, body: { code: 'rate_limited', retry_after: 5 } }

it('repeats a refusal until its time is over, to that agent and of that call alone', () => {
  let now = 0
  const { answer, heed } = createPauses(() => now)
  expect(answer('ada', '/escalate')).toBeNull()
  expect(heed('ada', '/escalate', refusal)).toBe(refusal)
  now = 1500
  expect(answer('ada', '/escalate')).toEqual({ status: 429, body: { code: 'rate_limited', retry_after: 4 } })
  expect([answer('bob', '/escalate'), answer('ada', '/agents')]).toEqual([null, null])
  now = 4999
  expect(answer('ada', '/escalate')).toEqual({ status: 429, body: { code: 'rate_limited', retry_after: 1 } })
  now = 5000
  expect(answer('ada', '/escalate')).toBeNull()
})

it.each([
  { status: 200, body: { retry_after: 5 } },
  { status: 429, body: { code: 'rate_limited' } },
  { status: 429, body: null },
])('passes %j on and remembers nothing', (said) => {
  const { answer, heed } = createPauses(() => 0)
  expect(heed('ada', '/escalate', said)).toBe(said)
  expect(answer('ada', '/escalate')).toBeNull()
})
