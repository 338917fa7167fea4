import type { Reply } from '#contract/define'
import type { routines } from '#contract/routines'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { takesLong } from '../definitions/expressions.ts'
import { queries, type RoutineRow, type VersionRow } from '../queries.ts'
import { findRoutine } from '../service.ts'
import { type Compared, patchOf } from './patches.ts'

/** Characters of definitions that an export has of earlier versions. */
const mostHistory = 8_388_608

const present = ({ version, active_version }: RoutineRow, row: Omit<VersionRow, 'definition_json'>) => ({
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

export async function diff(
  app: App,
  { actor, routineSlug, query }: Call<typeof routines.diff>,
): Promise<Reply<typeof routines.diff>> {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  const to = findVersion(app, routine, query.to ?? routine.version)
  const from = findVersion(app, routine, query.from ?? Math.max(1, to.version - 1))
  const side = ({ version, definition_json: json }: VersionRow) => ({
    name: `${routine.slug} (version ${version})`,
    json,
  })
  const identical = from.definition_hash === to.definition_hash
  return {
    from_version: from.version,
    to_version: to.version,
    identical,
    unified_diff: identical ? '' : await compare(app, { from: side(from), to: side(to) }),
  }
}

const compare = async (app: App, it: Compared): Promise<string> =>
  takesLong([it.from.json, it.to.json]) ? app.reads.run('scan', 'routinePatch', it) : patchOf(it)

/** The versions of a routine, newest first, as many as an export may hold. */
function historyOf(app: App, { id }: RoutineRow): VersionRow[] {
  const kept: VersionRow[] = []
  let characters = 0
  for (const { version } of queries(app.db).versions.all(id)) {
    const row = queries(app.db).version.get(id, version)!
    characters += row.definition_json.length
    if (characters > mostHistory) break
    kept.push(row)
  }
  return kept
}

export function exportBundle(
  app: App,
  { actor, routineSlug, query }: Call<typeof routines.export>,
): Reply<typeof routines.export> {
  const routine = findRoutine(app, actor.workspace, routineSlug)
  const row = findVersion(app, routine, routine.version)
  const wanted = query.include_history === '1' || query.include_history === 'true'
  const history = wanted ? historyOf(app, routine) : []
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
