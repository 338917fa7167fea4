import type { Static } from 'typebox'
import type { ProjectDraft, ProjectPatch } from '#contract/projects'
import { dayOf } from '#kernel/http/days'
import { blankToNull, cleanName } from '#kernel/http/fields'
import type { Stored } from './queries.ts'

/** What people set of a project, without who leads it. */
export type Members = Omit<Stored, 'id' | 'slug' | 'lead_type' | 'lead_id' | 'created_at' | 'updated_at'>

const blank: Members = {
  name: '',
  description: null,
  icon: null,
  color: '#6366f1',
  status: 'planned',
  priority: 'none',
  health: 'on_track',
  start_date: null,
  target_date: null,
}

export const memberNames = [...Object.keys(blank), 'lead_type', 'lead_id']

/** The project after a create (no `before`) or a change. */
export function merge(
  body: Static<typeof ProjectDraft> | Static<typeof ProjectPatch>,
  before: Members = blank,
): Members {
  const { name = before.name, color = before.color, status = before.status } = body
  const { priority = before.priority, health = before.health } = body
  return {
    name: cleanName('name', name, { min: 1, max: 100, unit: 'characters' }),
    description: body.description === undefined ? before.description : blankToNull(body.description),
    icon: body.icon === undefined ? before.icon : blankToNull(body.icon),
    color,
    status,
    priority,
    health,
    start_date: dayOf('start_date', body.start_date, before.start_date),
    target_date: dayOf('target_date', body.target_date, before.target_date),
  }
}

/** The first of `slug`, `slug-2`, `slug-3` ... that is not taken. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug
  for (let n = 2; ; n++) if (!taken.has(`${slug}-${n}`)) return `${slug}-${n}`
}
