import { expect, it } from 'vitest'
import type { RunFrame } from '#contract/frames'
import { Turn } from '../../../cli/chat/turn.ts'

it('parts what was said before a person spoke from what was said after', () => {
  const turn = new Turn()
  const frames = [
    { type: 'text', content: 'Postgres or' },
    { type: 'text', content: ' SQLite?' },
    { type: 'user_message', content: 'SQLite', metadata: {} },
    { type: 'text', content: 'Then SQLite.' },
  ] as const
  const events = frames.flatMap((frame, seq) => turn.take({ ...frame, seq } as RunFrame))
  expect(turn.text).toBe('Postgres or SQLite?\n\nThen SQLite.')
  expect(events.map((event) => 'fresh' in event && event.fresh)).toEqual([true, false, false, true])
})
