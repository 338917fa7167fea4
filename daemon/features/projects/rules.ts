import type { Static } from 'typebox'
import type { ProjectDraft, ProjectPatch } from '#contract/projects'
import { dayOf } from '#kernel/http/days'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import type { Stored } from './queries.ts'

/** What people set of a project, without who leads it. */
export type Members = Omit<Stored, 'id' | 'slug' | 'lead_type' | 'lead_id' | 'created_at' | 'updated_at'>

type Days = { start_date?: string | null; target_date?: string | null }

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
  const start_date = dayOf('start_date', body.start_date, before.start_date)
  const target_date = dayOf('target_date', body.target_date, before.target_date)
  requireOrder(body, start_date, target_date)
  return {
    name: cleanName('name', name, { min: 1, max: 100, unit: 'characters' }),
    description: body.description === undefined ? before.description : blankToNull(body.description),
    icon: body.icon === undefined ? before.icon : blankToNull(body.icon),
    color,
    status,
    priority,
    health,
    start_date,
    target_date,
  }
}

/** Refuses a day that would make the project end before it begins. A change that names neither day passes. */
function requireOrder(body: Days, start: string | null, target: string | null): void {
  const named = body.target_date !== undefined ? 'target_date' : body.start_date !== undefined ? 'start_date' : null
  if (named === null || start === null || target === null || target >= start) return
  const detail =
    named === 'target_date'
      ? `target_date must not be before the project begins, on ${start}`
      : `start_date must not be after the project ends, on ${target}`
  throw problem('invalid_field', { field: named, detail })
}

/** The first of `slug`, `slug-2`, `slug-3` ... that is not taken. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug
  for (let n = 2; ; n++) if (!taken.has(`${slug}-${n}`)) return `${slug}-${n}`
}
