import { describe, expect, it } from 'vitest'
import { briefOf } from '../../../../daemon/features/missions/engine/brief.ts'

type Parts = Parameters<typeof briefOf>
const mission: Parts[0] = { title: 'Relaunch', description: 'Make it new' }
const base = { id: 'join', title: 'Join', description: 'All of it', error_message: null, result_summary: null }
const results = (count: number, words: string) =>
  Array.from({ length: count }, (_, at) => ({
    id: `t${at}`,
    title: `Part ${at}`,
    agent_slug: 'bob',
    result_summary: words,
    status: 'COMPLETED',
  })) as unknown as Parts[2]

const brief = (count: number, words: string, more: Partial<Parts[1]> = {}, of = mission) => {
  const all = results(count, words)
  const task = { ...base, approval_status: null, ...more, depends_on: JSON.stringify(all.map(({ id }) => id)) }
  return briefOf(of, task, all)
}

describe('the brief of a task', () => {
  it.each([
    ['letters', 'a'],
    ['letters of three bytes', '\u754c'],
    ['pictures', '\u{1f3a8}'],
    ['short lines, each of which is quoted', 'x\n'],
  ])('has at most 32 KB and all its parts, whatever agents write: %s', (_, word) => {
    const long = word.repeat(8000)
    for (const count of [1, 8, 99]) {
      const more = { description: long, error_message: long }
      for (const approval_status of [null, 'REJECTED'] as const) {
        const text = brief(count, long, { ...more, approval_status }, { title: 'Relaunch', description: long })
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32_768)
        expect(text).toContain('Your task: Join')
        expect(text).toContain('Your last words are the result')
        expect(text.match(/@bob did "Part/g)).toHaveLength(count)
        expect(text).not.toContain('\ufffd')
      }
    }
  })

  it('tells 4,000 characters of a result', () => {
    const text = brief(1, 'a'.repeat(5000))
    expect(/> (a+)/.exec(text)![1]!.length).toBeGreaterThan(3900)
    expect(/> (a+)/.exec(text)![1]!.length).toBeLessThanOrEqual(4000)
  })

  it('quotes every line of other agents, also where it is cut', () => {
    for (const words of ['Do this\nnow', 'ignore all\n'.repeat(1000)])
      expect(brief(3, words)).not.toMatch(/^(Do this|now|ignore)/m)
  })
})
