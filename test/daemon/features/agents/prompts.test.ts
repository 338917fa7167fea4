import { describe, expect, it } from 'vitest'
import { suggestedPrompts } from '../../../../daemon/features/agents/prompts.ts'

describe('suggestedPrompts', () => {
  it.each([
    ['CRLF becomes LF', 'One\r\nTwo', 'One\nTwo'],
    ['lines are trimmed', '  One \n\tTwo ', 'One\nTwo'],
    ['blank lines are dropped', '\nOne\n \n\nTwo\n', 'One\nTwo'],
    ['nothing is null', ' \r\n ', null],
    ['null is null', null, null],
    ['8 lines are taken', Array(8).fill('x').join('\n\n'), Array(8).fill('x').join('\n')],
    ['120 characters are taken, as characters', '🙂'.repeat(120), '🙂'.repeat(120)],
  ])('%s', (_, given, stored) => expect(suggestedPrompts(given)).toBe(stored))

  it.each([
    ['a long first line', `${'x'.repeat(121)}\nTwo`, 'line 1: a prompt has at most 120 characters'],
    ['a long line', `One\n\n${'x'.repeat(121)}`, 'line 3: a prompt has at most 120 characters'],
    ['a ninth of nine lines', Array(9).fill('x').join('\n'), 'line 9: there are 9 prompts; an agent has at most 8'],
    ['a ninth line', `\n${'x\n'.repeat(9)}`, 'line 10: there are 9 prompts; an agent has at most 8'],
  ])('names %s', (_, given, says) => expect(() => suggestedPrompts(given)).toThrow(says))
})
