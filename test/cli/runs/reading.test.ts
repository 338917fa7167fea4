import { expect, it } from 'vitest'
import type { LogFrame } from '#contract/frames'
import { Reading } from '../../../cli/runs/reading.ts'

const asks = (content: string, seq?: number): LogFrame => ({
  type: 'user_message',
  content,
  metadata: {},
  ...(seq && { seq }),
})
const says = (content: string, seq?: number): LogFrame => ({ type: 'text', content, ...(seq && { seq }) })
const calls = (tool_id: string): LogFrame => ({
  type: 'tool_call',
  content: tool_id,
  metadata: { tool_name: 'Bash', tool_id, input: {} },
})

const read = (reading: Reading, ...frames: LogFrame[]) =>
  frames.flatMap((frame) => {
    const unread = reading.unread(frame)
    return unread && 'content' in unread ? [unread.content] : []
  })

it('goes on within what was kept in larger pieces', () => {
  const reading = new Reading()
  expect(read(reading, asks('Go'), says('one ', 3), says('two ', 4))).toEqual(['Go', 'one ', 'two '])
  reading.again()
  expect(read(reading, asks('Go'), says('one two three '), calls('t1'), says('four'))).toEqual(['three ', 't1', 'four'])
})

it('passes over numbers that were read, whatever is no longer held', () => {
  const reading = new Reading()
  expect(read(reading, asks('Go'), says('one', 3), says('two', 4))).toEqual(['Go', 'one', 'two'])
  reading.again()
  expect(read(reading, asks('Go'), says('two', 4), says('three', 5))).toEqual(['three'])
})

it('shows what a later program was asked and said, and not what an earlier one did', () => {
  const reading = new Reading()
  expect(read(reading, asks('Go'), says('a long answer', 3))).toEqual(['Go', 'a long answer'])
  reading.again()
  expect(read(reading, asks('Go'), says('a long answer'), asks('And?'), says('no', 9))).toEqual(['And?', 'no'])
  reading.again()
  expect(read(reading, asks('Go'), says('a long answer'), asks('And?'), says('now'))).toEqual(['w'])
})

it('counts what was left out for its length as read', () => {
  const reading = new Reading()
  expect(read(reading, asks('Go'), says('abcdefghij', 3))).toEqual(['Go', 'abcdefghij'])
  reading.again()
  const gap: LogFrame = { type: 'text', content: '[6 left out]', metadata: { left_out_chars: 6 } as object }
  expect(read(reading, asks('Go'), says('ab'), gap, says('ijkl'))).toEqual(['kl'])
})
