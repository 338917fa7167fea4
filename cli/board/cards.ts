import type { Client } from '#client'
import { issueStatuses } from '#client/words'
import { windowed } from '../flags.ts'
import type { Card, Status } from './board.ts'

/** The most issues that a board shows, and how many of them are closed ones. */
const mostCards = 1000
const mostClosed = 100

const closedStatuses: readonly Status[] = ['DONE', 'CANCELLED', 'DUPLICATE']

/** Issues of a crew for its board: the open ones, and of the closed ones those that were changed last. */
export async function cardsOf(api: Client, crewId: string): Promise<Card[]> {
  const of = (status: string, sort: 'created_at' | 'updated_at', limit: number) =>
    windowed({ limit }, (window) => api.issues.ofCrew({ crewId, query: { status, sort, ...window } }), 100)
  const [open, closed] = await Promise.all([
    of(issueStatuses.filter((status) => !closedStatuses.includes(status)).join(), 'created_at', mostCards - mostClosed),
    of(closedStatuses.join(), 'updated_at', mostClosed),
  ])
  return [...open, ...closed]
}
