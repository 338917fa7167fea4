import { createTwoFilesPatch } from 'diff'
import { stringify } from 'yaml'
import type { Reply } from '#contract/define'
import type { routines } from '#contract/routines'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { queries, type RoutineRow, type VersionRow } from '../queries.ts'
import { findRoutine } from '../service.ts'

const present = ({ version, active_version }: RoutineRow, row: VersionRow) => ({
  version: row.version,
  is_head: row.version === version,
  is_active: row.version === active_version,
  state: row.state,
  ...(row.parent_version !== null && { parent_version: row.parent_version }),
  definition_hash: row.definition_hash,
  risk_reasons: JSON.parse(row.risk_reasons_json) as string[],
  author_type: row.author_type,
  author_id: row.author_id,
  change_summary: row.change_summary,
  created_at: row.created_at,
})

function findVersion(app: App, routine: RoutineRow, version: number): VersionRow {
  const row = Number.isSafeInteger(version) ? queries(app.db).version.get(routine.id, version) : undefined
  if (!row) throw problem('not_found', { field: 'version', detail: `${routine.slug} has no such version` })
  return row
}

export function versions(
  app: App,
  { actor, routineSlug }: Call<typeof routines.versions>,
): Reply<typeof routines.versions> {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  return queries(app.db)
    .versions.all(routine.id)
    .map((row) => present(routine, row))
}

const definitionOf = ({ definition_json }: VersionRow) => JSON.parse(definition_json) as Record<string, unknown>

export function version(
  app: App,
  { actor, routineSlug, version }: Call<typeof routines.version>,
): Reply<typeof routines.version> {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  const row = findVersion(app, routine, Number(version))
  return { ...present(routine, row), definition: definitionOf(row) }
}

export function diff(app: App, { actor, routineSlug, query }: Call<typeof routines.diff>): Reply<typeof routines.diff> {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  const to = findVersion(app, routine, query.to ?? routine.version)
  const from = findVersion(app, routine, query.from ?? Math.max(1, to.version - 1))
  const name = ({ version }: VersionRow) => `${routine.slug} (version ${version})`
  const [before, after] = [from, to].map((row) => stringify(definitionOf(row))) as [string, string]
  const identical = from.definition_hash === to.definition_hash
  return {
    from_version: from.version,
    to_version: to.version,
    identical,
    unified_diff: identical ? '' : createTwoFilesPatch(name(from), name(to), before, after),
  }
}

export function exportBundle(
  app: App,
  { actor, routineSlug, query }: Call<typeof routines.export>,
): Reply<typeof routines.export> {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  const row = findVersion(app, routine, routine.version)
  const wanted = query.include_history === '1' || query.include_history === 'true'
  const history = wanted ? queries(app.db).versions.all(routine.id) : []
  return {
    format: 'svc-routine-bundle/v1',
    pipeline: {
      name: routine.name,
      description: routine.description,
      slug: routine.slug,
      dsl_version: '1.0',
      definition: definitionOf(row),
    },
    history: history.map((one) => ({ ...present(routine, one), definition: definitionOf(one) })),
    metadata: { exported_at: app.now(), version: row.version, definition_hash: row.definition_hash },
  }
}
