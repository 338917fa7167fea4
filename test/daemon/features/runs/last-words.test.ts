import { describe, expect, it } from 'vitest'
import { lastWords } from '../../../../daemon/features/runs/messages/rules.ts'

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
