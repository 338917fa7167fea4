import type { automations } from '#contract/automations'
import type { Reply } from '#contract/define'
import type { Entry } from '#contract/entries'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { queries } from '../queries.ts'
import { clausesOf, type Matcher } from '../rules.ts'
import { findAutomation } from '../service.ts'

type Preview = Reply<typeof automations.preview>

const [windowHours, mostScanned, mostSamples] = [168, 500, 5]

/** Which entries of the last week a rule would have matched, and why it matched none. */
export function preview(app: App, { actor, body }: Call<typeof automations.preview>): Preview {
  const { event_type, matcher } = ruleOf(app, actor.workspace, body)
  const since = app.clock() - windowHours * 3_600_000
  const entries = queries(app.db)
    .entries.all({ workspace: actor.workspace, type: event_type, since, most: mostScanned })
    .map((doc) => JSON.parse(doc) as Entry)
  const clauses = clausesOf(matcher)
  const found = entries.filter((entry) => clauses.every(([, holds]) => holds(entry)))
  return {
    event_type,
    window_hours: windowHours,
    scanned: entries.length,
    matched: found.length,
    samples: found.slice(0, mostSamples),
    top_rejection: found.length ? {} : topRejection(entries, clauses),
  }
}

function ruleOf(app: App, workspace: string, body: Call<typeof automations.preview>['body']) {
  if (body.automation_id) {
    const { event_type, matcher_json } = findAutomation(app, workspace, body.automation_id)
    return {
      event_type: body.event_type ?? event_type,
      matcher: body.matcher ?? (JSON.parse(matcher_json) as Matcher),
    }
  }
  if (body.event_type === undefined)
    throw problem('missing_field', { field: 'event_type', detail: 'Name an event_type or an automation_id' })
  return { event_type: body.event_type, matcher: body.matcher ?? {} }
}

/** The condition that most entries do not fulfil. */
function topRejection(entries: readonly Entry[], clauses: ReturnType<typeof clausesOf>): Preview['top_rejection'] {
  const counts = clauses
    .map(([clause, holds]) => ({ clause, count: entries.filter((entry) => !holds(entry)).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.clause < b.clause ? -1 : 1))
  const [top] = counts
  if (!top) return {}
  const key = top.clause.startsWith('payload_equals.') ? top.clause.slice('payload_equals.'.length) : null
  const present = new Set(entries.flatMap(({ payload = {} }) => Object.keys(payload)))
  const key_absent = key !== null && !present.has(key)
  const detail = key_absent
    ? `No entry has "${key}" in its payload; there are: ${[...present].sort().slice(0, 50).join(', ') || 'none'}`
    : `${top.count} of ${entries.length} entries have another value: ${valuesOf(entries, top.clause, key)}`
  return { ...top, detail, key_absent }
}

const members = {
  crew_ids: 'crew_id',
  agent_ids: 'agent_id',
  mission_ids: 'mission_id',
  severities: 'severity',
} as const

const shownValues = 5

function valuesOf(entries: readonly Entry[], clause: string, key: string | null): string {
  const of = (entry: Entry): unknown =>
    key === null ? entry[members[clause as keyof typeof members]] : entry.payload?.[key]
  const values = [...new Set(entries.map((entry) => JSON.stringify(of(entry) ?? null)?.slice(0, 100)))]
  const more = values.length > shownValues ? ', …' : ''
  return `${values.slice(0, shownValues).join(', ')}${more}`
}
