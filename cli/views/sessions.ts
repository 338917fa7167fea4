import type { Static } from 'typebox'
import type { Session as Schema } from '#contract/sessions'
import { age, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Session = Static<typeof Schema>

const day = 86_400_000

/** Sessions; those that nobody used for so many days are marked, when a number is given. */
export const sessionView = (staleDays?: number): View<Session> => {
  const isStale = ({ last_used_at }: Session) =>
    staleDays !== undefined && Date.now() - Date.parse(last_used_at) > staleDays * day
  return {
    name: ({ id }) => id,
    empty: 'You are not signed in with any browser.',
    columns: {
      ID: ({ id }) => id,
      STATUS: (it) => {
        const word = isStale(it) ? 'stale' : it.is_current ? 'current' : 'active'
        return { text: word, tone: word === 'stale' ? 'yellow' : 'green' }
      },
      'LAST-USED': ({ last_used_at }) => when(last_used_at),
      IP: ({ ip }) => ip,
      'USER-AGENT': ({ user_agent }) => user_agent,
      AGE: ({ created_at }) => age(created_at),
    },
  }
}

/** How many of them nobody used for so many days. */
export const countStale = (sessions: readonly Session[], days: number): number =>
  sessions.filter(({ last_used_at }) => Date.now() - Date.parse(last_used_at) > days * day).length
