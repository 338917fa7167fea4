import { describe, expect, it } from 'vitest'
import { cut, lastWords, slugOf } from '../../../../daemon/features/peers/rules.ts'

const text = (content: string) => ({ type: 'text', content })
const tool = { type: 'tool_result', content: 'ok' }

describe('what an agent said last', () => {
  it.each([
    ['nothing', [], ''],
    ['by a message without parts', [{ content: ' Done. ' }], 'Done.'],
    [
      'after its last tool',
      [{ content: 'I look.\n\nDone.', parts: [text('I look.'), tool, text(' Done. ')] }],
      'Done.',
    ],
    ['in several parts', [{ content: 'x', parts: [tool, text('One.'), text('Two.')] }], 'One.\n\nTwo.'],
    ['before a tool alone', [{ content: 'I look.', parts: [text('I look.'), tool] }], 'I look.'],
    ['in the message before an empty one', [{ content: 'Done.' }, { content: ' ' }], 'Done.'],
  ])('%s', (_, messages, expected) =>
    expect(lastWords(messages.map((message) => ({ role: 'assistant' as const, ...message })))).toBe(expected),
  )
  it('is not what others said', () => expect(lastWords([{ role: 'system', content: 'Ended' }])).toBe(''))
})

describe('a text that is cut', () => {
  it('has the mark within the limit', () => {
    expect(cut('x'.repeat(20), 20)).toBe('x'.repeat(20))
    expect(cut('x'.repeat(21), 20)).toBe(`${'x'.repeat(9)}\n(cut here)`)
  })
  it('is cut between characters', () =>
    expect(cut(`${'x'.repeat(8)}😀${'x'.repeat(20)}`, 20)).toBe(`${'x'.repeat(8)}\n(cut here)`))
})

it.each([' ada', '@ada', 'ada'])('%j names @ada', (given) => expect(slugOf(given)).toBe('ada'))
