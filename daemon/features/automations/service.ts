import type { Static } from 'typebox'
import {
  type Automation,
  type automations,
  defaultDebounceSeconds,
  defaultMaxPerHour,
  mostAutomations,
} from '#contract/automations'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { cleanName, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { routineBySlug } from '../routines/service.ts'
import { forgetRules } from './matching/service.ts'
import { queries, type Row } from './queries.ts'

type Shown = Static<typeof Automation>

const present = ({ matcher_json, routine_slug, inputs_json, enabled, created_by, ...row }: Row): Shown => ({
  ...row,
  enabled: enabled === 1,
  matcher: JSON.parse(matcher_json) as Record<string, unknown>,
  action_kind: 'routine',
  action: { routine_slug, ...(inputs_json !== null && { inputs: JSON.parse(inputs_json) as Record<string, unknown> }) },
  ...(created_by && { created_by }),
})

export function list({ db }: App, { actor }: Call<typeof automations.list>): Reply<typeof automations.list> {
  const found = queries(db).list.all(actor.workspace).map(present)
  return { automations: found, count: found.length }
}

const name = (given: string) => cleanName('name', given, { min: 1, max: 100, unit: 'characters' })

export function create(app: App, { actor, body, now }: Call<typeof automations.create>): Shown {
  const { workspace } = actor
  if (queries(app.db).count.get(workspace)! >= mostAutomations)
    throw problem('automations_full', { detail: `A workspace has at most ${mostAutomations} automations` })
  checkRoutine(app, workspace, body.action.routine_slug)
  const row: Row = {
    id: newId(app.clock()),
    workspace_id: workspace,
    name: name(body.name),
    enabled: body.enabled === false ? 0 : 1,
    event_type: body.event_type,
    matcher_json: jsonOf('matcher', body.matcher ?? {}),
    routine_slug: body.action.routine_slug,
    inputs_json: body.action.inputs ? jsonOf('action.inputs', body.action.inputs) : null,
    debounce_seconds: body.debounce_seconds ?? defaultDebounceSeconds,
    max_per_hour: body.max_per_hour || defaultMaxPerHour,
    created_by: actor.id,
    created_at: now,
    updated_at: now,
  }
  queries(app.db).insert.run(row)
  forgetRules(app, workspace)
  return present(row)
}

function checkRoutine(app: App, workspace: string, slug: string): void {
  if (!routineBySlug(app, workspace, slug))
    throw problem('invalid_field', { field: 'action.routine_slug', detail: `There is no routine "${slug}"` })
}

const jsonLimit = 16_384

function jsonOf(field: string, value: object): string {
  const json = JSON.stringify(value)
  if (json.length > jsonLimit) throw problem('body_over_limit', { field, detail: `${field} may have 16 KiB as JSON` })
  return json
}

const changeable = ['name', 'event_type', 'action', 'matcher', 'enabled', 'debounce_seconds', 'max_per_hour']

export function update(app: App, { actor, automationId, body, now }: Call<typeof automations.update>): Shown {
  const before = findAutomation(app, actor.workspace, automationId)
  requireSome(body, changeable)
  const { action, matcher, enabled } = body
  if (action?.routine_slug) checkRoutine(app, actor.workspace, action.routine_slug)
  const row: Row = {
    ...before,
    name: body.name === undefined ? before.name : name(body.name),
    event_type: body.event_type ?? before.event_type,
    matcher_json: matcher === undefined ? before.matcher_json : jsonOf('matcher', matcher),
    enabled: enabled === undefined ? before.enabled : Number(enabled),
    ...(action && {
      routine_slug: action.routine_slug ?? '',
      inputs_json: action.inputs ? jsonOf('action.inputs', action.inputs) : null,
    }),
    debounce_seconds: body.debounce_seconds ?? before.debounce_seconds,
    max_per_hour: body.max_per_hour === undefined ? before.max_per_hour : body.max_per_hour || defaultMaxPerHour,
    updated_at: now,
  }
  queries(app.db).update.run(row)
  forgetRules(app, actor.workspace)
  return present(row)
}

export function remove(
  app: App,
  { actor, automationId, now }: Call<typeof automations.remove>,
): Reply<typeof automations.remove> {
  const { id, name } = findAutomation(app, actor.workspace, automationId)
  queries(app.db).remove.run(now, id)
  forgetRules(app, actor.workspace)
  app.journal(fact('automation.deleted', { entity_id: id, name }, { workspace_id: actor.workspace, ...actorOf(actor) }))
  return { status: 'deleted', id }
}

/** A live automation of the workspace, or `not_found`. */
export function findAutomation({ db }: App, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such automation' })
  return row
}

/** A deleted workspace matches nothing. */
export function dropAll(app: App, { payload }: Happened<'workspace.deleted'>): void {
  queries(app.db).removeAll.run(app.now(), payload.entity_id)
  forgetRules(app, payload.entity_id)
}
