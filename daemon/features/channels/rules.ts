import type { Static } from 'typebox'
import { type Channel, type NotificationCategory, notificationCategories } from '#contract/channels'
import { problem } from '#kernel/problem'
import type { Row } from './queries.ts'

const events: Record<string, readonly ('run.completed' | 'run.failed')[]> = {
  'run.completed': ['run.completed'],
  completed: ['run.completed'],
  complete: ['run.completed'],
  success: ['run.completed'],
  'run.failed': ['run.failed'],
  failed: ['run.failed'],
  failure: ['run.failed'],
  fail: ['run.failed'],
  all: ['run.completed', 'run.failed'],
  '*': ['run.completed', 'run.failed'],
}

/** The ends of runs that a channel hears of. */
export function eventsIn(given: readonly string[] | undefined): string[] {
  const found = (given ?? ['run.failed']).flatMap((word) => {
    const known = Object.hasOwn(events, word.trim()) ? events[word.trim()] : undefined
    if (!known) throw problem('invalid_field', { field: 'events', detail: 'events takes completed, failed and all' })
    return known
  })
  return [...new Set(found)].sort()
}

export const isCategory = (word: string): word is NotificationCategory =>
  (notificationCategories as readonly string[]).includes(word)

/** The categories that a channel takes; none: all of them. */
export function categoriesIn(given: readonly string[] | null | undefined): string[] {
  const unknown = (given ?? []).find((word) => !isCategory(word))
  if (unknown !== undefined)
    throw problem('invalid_field', {
      field: 'categories',
      detail: `There is no category of that name; there are ${notificationCategories.join(', ')}`,
    })
  return [...new Set(given ?? [])]
}

/** What people call a channel where they do not say its address. */
export const nameOf = ({ type, provider }: Pick<Row, 'type' | 'provider'>): string => provider ?? type

/** A channel as it is shown; where it leads to only to those whom that concerns. */
export function present(row: Row, showsTarget: boolean): Static<typeof Channel> {
  const { type, provider, owner_user_id, created_by } = row
  const categories = JSON.parse(row.categories_json) as NotificationCategory[]
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    ...(row.slug && { slug: row.slug }),
    type,
    ...(type === 'webhook' && { url: showsTarget ? row.url! : '' }),
    ...(type === 'email' && { to: showsTarget ? row.address! : '' }),
    events: JSON.parse(row.events_json) as ('run.completed' | 'run.failed')[],
    enabled: row.enabled === 1,
    ...(created_by && { created_by }),
    created_at: row.created_at,
    ...(provider && { provider }),
    scope: owner_user_id ? 'user' : 'workspace',
    ...(owner_user_id && { owner_user_id }),
    ...(categories.length && { categories }),
    min_priority: row.min_priority,
  }
}
