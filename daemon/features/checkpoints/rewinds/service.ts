import { randomBytes } from 'node:crypto'
import type { checkpoints } from '#contract/checkpoints'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Call } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import { type Problem, problem } from '#kernel/problem'
import { runsOfCrew } from '../../runs/service.ts'
import { hasShell } from '../../shells/service.ts'
import type { Row } from '../queries.ts'
import { about, addCheckpoint, findCheckpoint } from '../service.ts'
import { queries, type RewindRow } from './queries.ts'

export type { RewindRow }

export const findRewind = ({ db }: App, id: string): RewindRow | undefined => queries(db).find.get(id)
/** The rewind of a crew that is not over: its container stays stopped, and its runs wait. */
export const openRewindOf = ({ db }: App, crew: string): RewindRow | undefined => queries(db).ofCrew.get(crew)
export const openRewinds = ({ db }: App): RewindRow[] => queries(db).open.all()

/** Files of a list unless stated, and at most. */
const window = { fallback: 500, max: 2000 }

/** A checkpoint whose crew's files are marked. */
function findMarked(app: App, workspace: string, id: string): Row {
  const row = findCheckpoint(app, workspace, id)
  if (row.mark_state === 'marked') return row
  const reason = row.mark_json && (JSON.parse(row.mark_json) as { reason?: string }).reason
  throw problem('files_not_marked', {
    detail: `The files of the crew are not marked by this checkpoint${reason ? `: ${reason}` : ''}`,
  })
}

export async function changesSince(
  app: App,
  { actor, checkpointId, query }: Call<typeof checkpoints.files>,
): Promise<Reply<typeof checkpoints.files>> {
  const row = findMarked(app, actor.workspace, checkpointId)
  const { limit } = pageOf(query, window)
  const { added, changed, deleted, entries } = await app.marks.changes(row.crew_id, row.mark_id, limit)
  return {
    checkpoint_id: row.id,
    crew_id: row.crew_id,
    added,
    changed,
    deleted,
    truncated: added + changed + deleted > entries.length,
    files: entries.map(({ odd, sizeBefore, sizeNow, uid: _uid, ...entry }) => ({
      ...entry,
      odd_name: odd,
      size_before: sizeBefore,
      size_now: sizeNow,
    })),
  }
}

export async function differenceSince(
  app: App,
  { actor, checkpointId, query }: Call<typeof checkpoints.diff>,
): Promise<Reply<typeof checkpoints.diff>> {
  const row = findMarked(app, actor.workspace, checkpointId)
  const { state, diff } = await app.marks.diff(row.crew_id, row.mark_id, query.path)
  return { checkpoint_id: row.id, path: query.path, state, diff }
}

/** Records that the files of a crew are to be put back, and holds its runs from now on. */
export function beginRewind(app: App, { actor, checkpointId, body, now }: Call<typeof checkpoints.rewind>): RewindRow {
  const row = findMarked(app, actor.workspace, checkpointId)
  if (body?.crew_id && body.crew_id !== row.crew_id)
    throw problem('invalid_field', { field: 'crew_id', detail: 'The checkpoint is of another crew' })
  if (!app.marks.available) throw problem('runtime_unavailable', { detail: 'This server marks no files' })
  checkIdle(app, row.crew_id)
  const { insert, find } = queries(app.db)
  const id = `rw_${randomBytes(8).toString('hex')}`
  const by = actorOf(actor)
  const before = addCheckpoint(
    app,
    { id: row.mission_id, crew_id: row.crew_id, title: row.mission_title },
    {
      workspace_id: row.workspace_id,
      label: `before the rewind to ${row.label ?? row.id}`.slice(0, 200),
      mark_state: 'marking',
      rewind_id: id,
      created_by: actor.id,
      created_at: now,
    },
    by,
  )
  const { workspace_id, crew_id, mark_id } = row
  const rewind = { id, workspace_id, crew_id, mark_id, checkpoint_id: row.id, before_id: before.id }
  insert.run({ ...rewind, asked_by: actor.id, created_at: now })
  app.journal(fact('files.rewind_started', told(rewind, row), about(row, by)))
  return find.get(id)!
}

function checkIdle(app: App, crew: string): void {
  if (openRewindOf(app, crew)) throw problem('rewind_open')
  const runs = runsOfCrew(app, crew)
  if (runs.length)
    throw problem('runs_open', {
      detail: `${runs.length === 1 ? 'A run' : `${runs.length} runs`} of the crew is not over`.replace(
        /runs (.*) is/,
        'runs $1 are',
      ),
      extra: { run_ids: runs.slice(0, 20).map(({ id }) => id) },
    })
  if (hasShell(app, crew)) throw problem('runs_open', { detail: 'A shell in the crew is open' })
}

/** The files as they were are marked: from now on they are put back. To be called within a change. */
export const beginRestoring = ({ db }: App, id: string): void => void queries(db).restoring.run(id)

export type Outcome = { written: number; removed: number } | { reason: string; touched: boolean }

/** Lets the crew go on. To be called within a change. */
export function endRewind(app: App, id: string, outcome: Outcome): void {
  const { find, end } = queries(app.db)
  const row = find.get(id)
  if (!row || row.ended_at !== null) return
  end.run('reason' in outcome ? 'failed' : 'done', JSON.stringify(outcome), app.now(), id)
  const { workspace_id, crew_id } = row
  const target = { id: row.checkpoint_id, label: null }
  const whom = { workspace_id, crew_id, actor_type: 'orchestrator' } as const
  app.journal(
    'reason' in outcome
      ? fact('files.rewind_failed', { ...told(row, target), ...outcome }, whom)
      : fact('files.rewound', { ...told(row, target), ...outcome }, whom),
  )
  const payload = { id: crew_id, checkpoint_id: row.checkpoint_id }
  app.broadcast({ channel: `workspace:${workspace_id}`, type: 'crew.files_rewound', payload })
}

const told = (
  { id, before_id }: Pick<RewindRow, 'id' | 'before_id'>,
  checkpoint: { id: string; label: string | null },
) => ({
  rewind_id: id,
  checkpoint_id: checkpoint.id,
  before_checkpoint_id: before_id,
  ...(checkpoint.label !== null && { label: checkpoint.label }),
})

/** Waits for the end of a rewind. */
export async function rewound(app: App, rewind: RewindRow): Promise<Reply<typeof checkpoints.rewind> | Problem> {
  await app.marks.rewind(rewind.id)
  const { outcome_json, before_id, crew_id, checkpoint_id } = findRewind(app, rewind.id)!
  const outcome = outcome_json === null ? null : (JSON.parse(outcome_json) as Outcome)
  if (outcome === null) throw problem('unavailable', { detail: 'The server stops; the next one goes on with it' })
  if ('reason' in outcome)
    return problem('runtime_failed', { detail: failed(outcome, before_id), extra: { before_checkpoint_id: before_id } })
  return { checkpoint_id, crew_id, before_checkpoint_id: before_id, ...outcome }
}

const failed = ({ reason, touched }: { reason: string; touched: boolean }, before: string) =>
  touched
    ? `Not all files were put back: ${reason}. How they were before is checkpoint ${before}`
    : `No file was put back: ${reason}`
