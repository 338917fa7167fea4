import { describe, expect, it } from 'vitest'
import { rendered } from '../../../../../daemon/features/agents/forms/rendering.ts'

describe('rendered', () => {
  it.each([
    ['puts values in the place of names, with spaces or without', 'Pay {{a}} to {{ b }}', 'Pay 1 to 2'],
    ['drops a line whose values are all empty', 'A: {{a}}\nNone: {{none}}\nB: {{b}}', 'A: 1\nB: 2'],
    ['keeps a line on which another value says something', '{{none}}{{a}} and {{none}}.', '1 and .'],
    ['keeps a line without names, also an empty one', 'Hello\n\n{{a}}', 'Hello\n\n1'],
    ['reads CRLF as a line break', 'A\r\n{{none}}\r\n{{a}}', 'A\n1'],
    ['strips control characters but line breaks', 'A\u0007\t\u009bB\n{{a}}', 'AB\n1'],
    ['trims the whole', '\n\n {{a}} \n\n', '1'],
    ['is empty when nothing is left', '{{none}}\n{{none}}', ''],
  ])('%s', (_, template, text) => {
    expect(rendered(template, { a: '1', b: '2', none: '' })).toBe(text)
  })

  it('inserts values verbatim: names and patterns within them mean nothing', () => {
    expect(rendered('{{a}}', { a: '{{b}} $& $1', b: 'x' })).toBe('{{b}} $& $1')
  })

  it('ends the message at 32,000 characters, then trims it', () => {
    expect(rendered('🙂'.repeat(1999), {})).toBe('🙂'.repeat(1999))
    expect(rendered('{{a}}', { a: `${'🙂'.repeat(31_999)} x` })).toBe('🙂'.repeat(31_999))
    expect(rendered('{{a}}', { a: '🙂'.repeat(32_001) })).toBe('🙂'.repeat(32_000))
  })
})
