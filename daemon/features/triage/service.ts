import type { Static } from 'typebox'
import { fact } from '#contract/entries'
import { mostTriageRules, type TriageRule, type TriageRulePatch, type triage } from '#contract/triage'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Call } from '#kernel/feature'
import { blankToNull, cleanName, pageOf, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { findAgent } from '../agents/service.ts'
import { findCrew } from '../crews/service.ts'
import { findProject } from '../projects/service.ts'
import { queries, type Row } from './queries.ts'
import { matcher } from './rules.ts'

type Shown = Static<typeof TriageRule>
type Body = Static<typeof TriageRulePatch>

const present = ({ enabled, ...row }: Row): Shown => ({ ...row, enabled: enabled === 1 })

export function list({ db }: App, { actor, query }: Call<typeof triage.list>): Shown[] {
  const { limit, offset } = pageOf(query, { fallback: mostTriageRules, max: mostTriageRules })
  return queries(db).list.all(actor.workspace, limit, offset).map(present)
}

export function create(app: App, { actor, body, now }: Call<typeof triage.create>): Shown {
  const { workspace } = actor
  const { count, insert, next } = queries(app.db)
  if (count.get(workspace)! >= mostTriageRules)
    throw problem('triage_rules_full', { detail: `A workspace has at most ${mostTriageRules} triage rules` })
  checkPattern(body.pattern, body.match_type)
  const blank = { crew_id: null, assignee_id: null, project_id: null, priority: null, labels_json: null }
  const row: Row = {
    id: newId(app.clock()),
    name: nameOf(body.name),
    pattern: body.pattern,
    match_type: body.match_type,
    ...outcomeOf(app, workspace, body, blank),
    position: next.get(workspace)!,
    enabled: 1,
    match_count: 0,
    created_at: now,
  }
  insert.run({ ...row, workspace })
  tell(app, workspace, 'created', row.id)
  return present(row)
}

const changeable = [
  'name',
  'pattern',
  'match_type',
  'crew_id',
  'assignee_id',
  'project_id',
  'priority',
  'labels_json',
  'position',
  'enabled',
]

export function update(app: App, { actor, ruleId, body }: Call<typeof triage.update>): Shown {
  const { workspace } = actor
  const before = findRule(app, workspace, ruleId)
  requireSome(body, changeable)
  if (body.pattern !== undefined && body.match_type !== undefined) checkPattern(body.pattern, body.match_type)
  const { name, pattern = before.pattern, match_type = before.match_type, position = before.position, enabled } = body
  const row: Row = {
    ...before,
    name: name === undefined ? before.name : nameOf(name),
    pattern,
    match_type,
    ...outcomeOf(app, workspace, body, before),
    position,
    enabled: enabled === undefined ? before.enabled : Number(enabled),
  }
  queries(app.db).update.run(row)
  tell(app, workspace, 'updated', row.id)
  return present(row)
}

export function remove(app: App, { actor, ruleId }: Call<typeof triage.remove>): undefined {
  const { id, name } = findRule(app, actor.workspace, ruleId)
  queries(app.db).remove.run(id)
  app.journal(
    fact('triage_rule.deleted', { entity_id: id, name }, { workspace_id: actor.workspace, ...actorOf(actor) }),
  )
  tell(app, actor.workspace, 'deleted', id)
}

/** Rules no longer give issues to a deleted crew. */
export const leaveCrew = ({ db }: App, { payload }: Happened<'crew.deleted'>): void =>
  void queries(db).leaveCrew.run(payload.entity_id)

/** Rules no longer give issues to a deleted agent. */
export const leaveAgent = ({ db }: App, { payload }: Happened<'agent.deleted'>): void =>
  void queries(db).leaveAgent.run(payload.entity_id)

/** Rules no longer put issues into a deleted project. */
export const leaveProject = ({ db }: App, { payload }: Happened<'project.deleted'>): void =>
  void queries(db).leaveProject.run(payload.entity_id)

function findRule({ db }: App, workspace: string, id: string): Row {
  const row = queries(db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such triage rule' })
  return row
}

const nameOf = (name: string) => cleanName('name', name, { min: 1, max: 100, unit: 'characters' })

function checkPattern(pattern: string, type: Row['match_type']): void {
  try {
    matcher(pattern, type)
  } catch (error) {
    throw problem('invalid_field', { field: 'pattern', detail: `pattern is no regular expression: ${wordsOf(error)}` })
  }
}

/** The library's message without what it repeats. */
export const wordsOf = (error: unknown): string => (error as Error).message.replace(/^error parsing regexp: /, '')

type Outcome = Pick<Row, 'crew_id' | 'assignee_id' | 'project_id' | 'priority' | 'labels_json'>

/** What the rule does with an issue; empty text clears a member. Refuses what is not of this workspace. */
function outcomeOf(app: App, workspace: string, body: Body, before: Outcome): Outcome {
  const named = (field: 'crew_id' | 'assignee_id' | 'project_id', noun: string, find: (id: string) => unknown) => {
    const given = body[field]
    if (given === undefined) return before[field]
    const id = blankToNull(given)
    try {
      if (id !== null) find(id)
    } catch {
      throw problem('invalid_field', { field, detail: `There is no such ${noun}` })
    }
    return id
  }
  return {
    crew_id: named('crew_id', 'crew', (id) => findCrew(app, workspace, id)),
    assignee_id: named('assignee_id', 'agent', (id) => findAgent(app, workspace, id)),
    project_id: named('project_id', 'project', (id) => findProject(app, workspace, id)),
    priority: body.priority === undefined ? before.priority : body.priority || null,
    labels_json: body.labels_json === undefined ? before.labels_json : listOf(body.labels_json),
  }
}

/** A JSON array as it came, or null. */
function listOf(text: string | null): string | null {
  const given = blankToNull(text)
  if (given === null) return null
  try {
    if (Array.isArray(JSON.parse(given))) return given
  } catch {
    // It is refused as what it is not.
  }
  throw problem('invalid_field', { field: 'labels_json', detail: 'labels_json must be the text of a JSON array' })
}

const tell = (app: App, workspace: string, what: string, id: string): void =>
  app.broadcast({ channel: `workspace:${workspace}`, type: `triage_rule.${what}`, payload: { id } })
