import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { RoutineDefinition, RoutineStep } from '#contract/routine-definition'
import { mostRoutines, type Routine, type routines } from '#contract/routines'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { blankToNull, cleanName, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { stepsOf } from './definitions/plan.ts'
import type { Checked } from './definitions/reading.ts'
import { risksOf } from './definitions/rules.ts'
import { cancelAll } from './endings/service.ts'
import { cardOf, closeProposal, propose } from './proposals/service.ts'
import { type ListedRow, queries, type RoutineRow, type VersionRow } from './queries.ts'
import { provesTest } from './testing/proofs.ts'

export type { RoutineRow } from './queries.ts'

type Shown = Static<typeof Routine>

export const routineBySlug = ({ db }: App, workspace: string, slug: string): RoutineRow | undefined =>
  queries(db).bySlug.get(workspace, slug)
export const routineById = ({ db }: App, workspace: string, id: string): RoutineRow | undefined =>
  queries(db).byId.get(workspace, id)

const absent = () => problem('not_found', { detail: 'There is no such routine' })

/** A routine by its slug, or `not_found`. */
export function findRoutine(app: App, workspace: string, slug: string): RoutineRow {
  const row = routineBySlug(app, workspace, slug)
  if (!row) throw absent()
  return row
}

function toRoutine(row: ListedRow): Shown {
  const {
    workspace_id: _,
    risk_reasons_json,
    last_run_status,
    run_count,
    last_run_at,
    linked_issues_json,
    ...rest
  } = row
  return {
    ...rest,
    risk_reasons: JSON.parse(risk_reasons_json) as string[],
    dsl_version: '1.0',
    run_count,
    invocation_count: run_count,
    last_run_at,
    last_invoked_at: last_run_at,
    last_invocation_status: last_run_status,
    ephemeral: false,
    workspace_visible: true,
    linked_issues: JSON.parse(linked_issues_json) as string[],
    ...(row.status === 'proposed' && { inbox_item_id: cardOf(row.id) }),
  }
}

const shown = ({ db }: App, { workspace_id, slug }: RoutineRow): Shown =>
  toRoutine(queries(db).listed.get(workspace_id, slug)!)

export const list = ({ db }: App, { actor }: Call<typeof routines.list>): Shown[] =>
  queries(db).list.all(actor.workspace).map(toRoutine)

export function show(app: App, { actor, routineSlug }: Call<typeof routines.show>): Reply<typeof routines.show> {
  const row = findRoutine(app, actor.workspace, routineSlug)
  const { definition_json } = queries(app.db).version.get(row.id, row.version)!
  const definition = JSON.parse(definition_json) as RoutineDefinition
  return { ...shown(app, row), definition, manifest: manifestOf(definition) }
}

/** What a definition uses. Steps reach no datastores and tools but through agents. */
function manifestOf(definition: RoutineDefinition): Reply<typeof routines.show>['manifest'] {
  const steps = stepsOf(definition)
  const named = (pick: (step: RoutineStep) => (string | undefined)[]) =>
    [...new Set(steps.flatMap(pick).filter((name) => name !== undefined))].sort()
  return {
    integrations: definition.integrations_required ?? [],
    egress: definition.egress_targets ?? [],
    credentials: definition.credentials_required ?? [],
    agents: named((step) => (step.type === 'agent_run' ? [step.agent_slug, step.outcomes?.grader_agent_slug] : [])),
    routines: named((step) => (step.type === 'call_pipeline' ? [step.pipeline_slug] : [])),
    datastores: [],
    tools: [],
    has_http: steps.some(({ type }) => type === 'http'),
    has_code: steps.some(({ type }) => type === 'code' || type === 'script'),
  }
}

interface New {
  slug: string
  name?: string | null | undefined
  description?: string | null | undefined
  author_crew_id?: string | null | undefined
  change_summary?: string | null | undefined
  via: RoutineRow['authored_via']
  /** It may run without approval, whatever it can do. */
  trusted: boolean
}

export function save(
  app: App,
  { actor, body }: Call<typeof routines.save>,
  checked: Checked,
): Reply<typeof routines.save> {
  if (body.skip_governance_gate && !(actor.role && allows('ADMIN', actor.role)))
    throw problem('insufficient_role', {
      field: 'skip_governance_gate',
      detail: 'Saving without approval needs the role ADMIN or above',
    })
  if (!body.skip_test_gate && !provesTest(app, actor.workspace, checked.hash, body.save_token ?? null))
    throw problem('routine_untested', {
      field: 'save_token',
      detail: body.save_token
        ? 'The save_token is over or belongs to another definition: test it again'
        : 'Test the definition first (test_run), or set skip_test_gate',
    })
  const before = routineBySlug(app, actor.workspace, body.slug)
  if (body.expected_version !== undefined && body.expected_version !== (before?.version ?? 0))
    throw problem('routine_changed', {
      detail: before ? `Version ${before.version} is the newest` : 'It was deleted',
      extra: { version: before?.version ?? 0 },
    })
  return store(app, actor, { ...body, via: 'user_api', trusted: body.skip_governance_gate === true }, checked, before)
}

export function importBundle(
  app: App,
  { actor, body }: Call<typeof routines.import>,
  checked: Checked,
): Reply<typeof routines.import> {
  const { slug, name, description } = body.pipeline
  const before = routineBySlug(app, actor.workspace, slug)
  const it = { slug, name, description, author_crew_id: body.author_crew_id }
  return store(app, actor, { ...it, via: 'imported', trusted: false }, checked, before)
}

/** Stores a definition as a new routine, or as the newest version of one. */
function store(app: App, actor: Actor, it: New, checked: Checked, before: RoutineRow | undefined): Shown {
  const now = app.now()
  if (checked.definition.name !== it.slug)
    throw problem('routine_invalid', {
      field: 'definition.name',
      detail: `name is "${checked.definition.name}", but the routine is saved as "${it.slug}"`,
      extra: { errors: [{ path: 'name', message: `must be "${it.slug}"` }] },
    })
  const crew = it.author_crew_id === undefined ? (before?.author_crew_id ?? null) : blankToNull(it.author_crew_id)
  if (crew && !queries(app.db).crew.get(actor.workspace, crew))
    throw problem('not_found', { field: 'author_crew_id', detail: 'There is no such crew' })
  const risks = risksOf(checked.definition)
  const approved = it.trusted || risks.length === 0
  const version = (before?.version ?? 0) + 1
  const id = before?.id ?? newId(app.clock())
  const row: RoutineRow = {
    ...(before ?? fresh(id, actor.workspace, now)),
    slug: it.slug,
    name: nameOf(it, checked, before),
    description: blankToNull(it.description) ?? checked.definition.description ?? before?.description ?? null,
    status: before?.status === 'disabled' ? 'disabled' : approved ? 'active' : 'proposed',
    version,
    active_version: approved ? version : (before?.active_version ?? null),
    author_crew_id: crew,
    updated_at: now,
  }
  if (before) queries(app.db).update.run(row)
  else {
    if (queries(app.db).count.get(actor.workspace)! >= mostRoutines)
      throw problem('routines_full', { detail: `A workspace has at most ${mostRoutines} routines` })
    queries(app.db).insert.run({ ...row, author_user_id: actor.id, authored_via: it.via })
  }
  addVersion(app, actor, row, checked, {
    parent: before?.version ?? null,
    risks,
    approved,
    summary: blankToNull(it.change_summary),
  })
  const about = { workspace_id: actor.workspace, ...(crew && { crew_id: crew }), ...actorOf(actor) }
  const metadata = { version, ...(risks.length && { risk_reasons: risks }) }
  app.journal(
    before
      ? fact('routine.saved', { entity_id: id, name: row.slug, metadata }, about)
      : fact('routine.created', { entity_id: id, name: row.slug }, about),
  )
  if (before) closeProposal(app, before, before.version, actor, 'superseded')
  if (!approved) propose(app, row, before, { definition: checked.definition, risks })
  tell(app, row, 'pipeline.saved')
  return shown(app, row)
}

const fresh = (id: string, workspace_id: string, now: string): RoutineRow => ({
  id,
  workspace_id,
  slug: '',
  name: '',
  description: null,
  icon: null,
  color: null,
  status: 'active',
  version: 0,
  active_version: null,
  author_user_id: null,
  author_agent_id: null,
  author_crew_id: null,
  authored_via: 'user_api',
  run_count: 0,
  last_run_at: null,
  last_run_status: null,
  created_at: now,
  updated_at: now,
})

function nameOf({ slug, name }: New, { definition }: Checked, before: RoutineRow | undefined): string {
  const given = blankToNull(name) ?? definition.display_name ?? before?.name ?? slug
  return cleanName('name', given, { min: 1, max: 100, unit: 'characters' })
}

interface Added {
  parent: number | null
  risks: readonly string[]
  approved: boolean
  summary: string | null
}

function addVersion(app: App, actor: Actor, row: RoutineRow, checked: Pick<Checked, 'json' | 'hash'>, it: Added): void {
  queries(app.db).addVersion.run({
    routine_id: row.id,
    version: row.version,
    parent_version: it.parent,
    definition_json: checked.json,
    definition_hash: checked.hash,
    risk_reasons_json: JSON.stringify(it.risks),
    change_summary: it.summary,
    state: it.approved ? 'approved' : 'proposed',
    author_type: actor.type,
    author_id: actor.id,
    decided_by: null,
    decided_at: null,
    created_at: app.now(),
  })
}

/** Changes members of a routine, and tells clients. */
function change(app: App, row: RoutineRow, members: Partial<RoutineRow>): RoutineRow {
  const next = { ...row, ...members, updated_at: app.now() }
  queries(app.db).update.run(next)
  tell(app, next, 'pipeline.saved')
  return next
}

const about = ({ workspace_id, author_crew_id }: RoutineRow, actor: Actor) => ({
  workspace_id,
  ...(author_crew_id && { crew_id: author_crew_id }),
  ...actorOf(actor),
})

const settled = (detail: string) => problem('routine_settled', { detail })

/** The version that waits for a decision. */
function proposed(app: App, row: RoutineRow): VersionRow {
  const version = queries(app.db).version.get(row.id, row.version)!
  if (version.state !== 'proposed') throw settled(`Version ${row.version} of ${row.slug} was ${version.state} before`)
  return version
}

export function approve(
  app: App,
  { actor, routineSlug }: Call<typeof routines.approve>,
): Reply<typeof routines.approve> {
  const row = findRoutine(app, actor.workspace, routineSlug)
  const { version } = proposed(app, row)
  queries(app.db).decide.run({ routine: row.id, version, state: 'approved', by: actor.id, now: app.now() })
  const status = row.status === 'disabled' ? 'disabled' : 'active'
  const next = change(app, row, { status, active_version: version })
  app.journal(fact('routine.approved', { entity_id: row.id, name: row.slug, metadata: { version } }, about(row, actor)))
  closeProposal(app, row, version, actor, 'approved')
  return { slug: next.slug, status: next.status }
}

export function reject(app: App, { actor, routineSlug }: Call<typeof routines.reject>): Reply<typeof routines.reject> {
  const row = findRoutine(app, actor.workspace, routineSlug)
  const { version } = proposed(app, row)
  queries(app.db).decide.run({ routine: row.id, version, state: 'rejected', by: actor.id, now: app.now() })
  const next = change(app, row, {
    status: row.active_version === null ? 'disabled' : row.status === 'disabled' ? 'disabled' : 'active',
  })
  app.journal(fact('routine.rejected', { entity_id: row.id, name: row.slug, metadata: { version } }, about(row, actor)))
  closeProposal(app, row, version, actor, 'rejected')
  return { slug: next.slug, status: next.status }
}

export function disable(
  app: App,
  { actor, routineSlug }: Call<typeof routines.disable>,
): Reply<typeof routines.disable> {
  const row = findRoutine(app, actor.workspace, routineSlug)
  if (row.status === 'disabled') throw settled(`${row.slug} is disabled already`)
  change(app, row, { status: 'disabled' })
  app.journal(fact('routine.disabled', { entity_id: row.id, name: row.slug }, about(row, actor)))
  cancelAll(app, row.id, actorOf(actor), 'The routine was disabled')
  return { slug: row.slug, status: 'disabled' }
}

export function enable(app: App, { actor, routineSlug }: Call<typeof routines.enable>): Reply<typeof routines.enable> {
  const row = findRoutine(app, actor.workspace, routineSlug)
  if (row.status !== 'disabled') throw settled(`${row.slug} is not disabled`)
  const { state } = queries(app.db).version.get(row.id, row.version)!
  if (state !== 'proposed' && row.active_version === null)
    throw settled(`No version of ${row.slug} was approved: save another one`)
  const status = state === 'proposed' ? 'proposed' : 'active'
  change(app, row, { status })
  app.journal(fact('routine.enabled', { entity_id: row.id, name: row.slug }, about(row, actor)))
  return { slug: row.slug, status }
}

export function rollback(app: App, { actor, routineSlug, body }: Call<typeof routines.rollback>): Shown {
  const row = findRoutine(app, actor.workspace, routineSlug)
  const wanted = body.version ?? body.target_version
  if (wanted === undefined) throw problem('missing_field', { field: 'version', detail: 'version is required' })
  const earlier = queries(app.db).version.get(row.id, wanted)
  if (!earlier) throw problem('not_found', { field: 'version', detail: `${row.slug} has no version ${wanted}` })
  if (earlier.state !== 'approved') throw settled(`Version ${wanted} of ${row.slug} was never approved`)
  if (wanted === row.version) throw settled(`Version ${wanted} is the newest one`)
  // It was checked when it was saved.
  const { definition_json: json, definition_hash: hash } = earlier
  const version = row.version + 1
  const status = row.status === 'disabled' ? 'disabled' : 'active'
  const next = change(app, row, { version, active_version: version, status })
  const risks = JSON.parse(earlier.risk_reasons_json) as string[]
  addVersion(
    app,
    actor,
    next,
    { json, hash },
    { parent: wanted, risks, approved: true, summary: `Back to version ${wanted}` },
  )
  app.journal(fact('routine.saved', { entity_id: row.id, name: row.slug, metadata: { version } }, about(row, actor)))
  closeProposal(app, row, row.version, actor, 'superseded')
  return shown(app, next)
}

export function appearance(app: App, { actor, routineSlug, body }: Call<typeof routines.appearance>): Shown {
  requireSome(body, ['icon', 'color'])
  const row = findRoutine(app, actor.workspace, routineSlug)
  const { icon = row.icon, color = row.color } = body
  return shown(app, change(app, row, { icon: blankToNull(icon), color }))
}

export function remove(app: App, { actor, routineSlug, now }: Call<typeof routines.remove>): undefined {
  const row = findRoutine(app, actor.workspace, routineSlug)
  queries(app.db).remove.run(now, row.id)
  app.journal(fact('routine.deleted', { entity_id: row.id, name: row.slug }, about(row, actor)))
  cancelAll(app, row.id, actorOf(actor), 'The routine was deleted')
  closeProposal(app, row, row.version, actor, 'cancelled')
  tell(app, row, 'pipeline.saved')
}

const tell = (app: App, { workspace_id, id, slug }: RoutineRow, type: string): void =>
  app.broadcast({ channel: `workspace:${workspace_id}`, type, payload: { id, slug } })
