import { Type } from 'typebox'
import { del, get, post } from './define.ts'
import { Id, oneLine, Time } from './fields.ts'

const optional = Type.Optional
const ids = Type.Array(Type.String())

/** How the crew's files were marked. */
export const markStates = ['none', 'marking', 'marked', 'failed'] as const
export type MarkState = (typeof markStates)[number]

export const MarkedFiles = Type.Object({
  state: Type.Enum([...markStates], {
    description: 'none: this server marks no files; failed: `reason` says why, and nothing can be put back',
  }),
  reason: optional(Type.String()),
  files: optional(Type.Integer()),
  folders: optional(Type.Integer()),
  links: optional(Type.Integer()),
  bytes: optional(Type.Integer({ description: 'Of all files together' })),
  left_out: optional(Type.Integer({ description: 'What was not marked: sockets, pipes, what lies too deep' })),
  left_out_paths: optional(Type.Array(Type.String(), { description: 'The first of them' })),
  moving: optional(Type.Integer({ description: 'Files that were written while they were read' })),
})

/** A point of a mission's past. docs/checkpoints.md. */
export const Checkpoint = Type.Object({
  id: Id,
  workspace_id: Id,
  crew_id: optional(Id),
  mission_id: Id,
  label: optional(Type.String()),
  journal_cursor: Type.String({ description: 'The newest entry of the mission when it was made' }),
  state: Type.Object({
    agent_memory: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Digests of what the agents of the crew remember, by the id of the agent',
    }),
    pending_tasks: ids,
    open_assignments: ids,
    crew_container_id: optional(Type.String()),
    meta: optional(Type.Object({ files: MarkedFiles })),
  }),
  fork_of: optional(Id),
  created_by: Type.String({ description: 'Id of a person; empty where Muster made it before a rewind' }),
  created_by_name: Type.String(),
  created_at: Time,
})

const label = Type.String({ maxLength: 200, pattern: oneLine, description: 'one line of at most 200 characters' })
const making = { access: 'MANAGER', scope: 'crews:write' } as const

const ChangedFile = Type.Object({
  change: Type.Enum(['added', 'changed', 'deleted']),
  kind: Type.Enum(['file', 'folder', 'link']),
  path: Type.String({ description: 'As agents see it' }),
  odd_name: Type.Boolean({ description: 'The name has bytes that are no text, shown as another character' }),
  size_before: Type.Union([Type.Integer(), Type.Null()]),
  size_now: Type.Union([Type.Integer(), Type.Null()]),
  what: Type.Array(Type.Enum(['content', 'mode', 'owner', 'kind']), { description: 'What differs' }),
})

const reading = ['not_found', 'files_not_marked', 'runtime_failed', 'runtime_unavailable'] as const

export const checkpoints = {
  list: get('/missions/:missionId/checkpoints', {
    summary: 'List the checkpoints of an issue or a mission, newest first',
    access: 'VIEWER',
    query: Type.Object({
      limit: optional(Type.Unsafe<number | string>({ type: ['integer', 'string'], description: '1 to 200, else 50' })),
    }),
    reply: Type.Object({ mission_id: Id, checkpoints: Type.Array(Checkpoint), count: Type.Integer() }),
    throws: ['not_found'],
  }),
  create: post('/missions/:missionId/checkpoints', {
    summary: 'Make a checkpoint of an issue or a mission, and of the files of its crew',
    ...making,
    body: Type.Object({ label: optional(label) }),
    bodyOptional: true,
    reply: Checkpoint,
    journal: ['checkpoint.created'],
    throws: ['not_found', 'nothing_to_anchor'],
  }),
  show: get('/checkpoints/:checkpointId', {
    summary: 'Show a checkpoint',
    access: 'VIEWER',
    reply: Checkpoint,
    throws: ['not_found'],
  }),
  restore: post('/checkpoints/:checkpointId/restore', {
    summary: 'Say what has happened since a checkpoint; changes nothing',
    ...making,
    status: 200,
    workspace: 'only',
    reply: Type.Object({
      checkpoint: Checkpoint,
      journal_cursor: Type.String(),
      warn_divergence: Type.Array(Type.String(), {
        description: 'Entries of the journal since then, or a warning where that is not known',
      }),
    }),
    journal: ['checkpoint.restored'],
    throws: ['not_found'],
  }),
  fork: post('/checkpoints/:checkpointId/fork', {
    summary: 'Begin a new mission with the plan and the tasks of a checkpoint',
    ...making,
    body: Type.Object({ label: optional(label) }),
    bodyOptional: true,
    reply: Type.Object({ new_mission_id: Id, new_checkpoint_id: Id }),
    journal: ['fork.created'],
    throws: ['not_found'],
  }),
  forkMission: post('/missions/:missionId/fork', {
    summary: 'Begin a new mission with the plan and the tasks of a checkpoint of this one',
    ...making,
    workspace: 'only',
    body: Type.Object({ checkpoint_id: Type.String({ minLength: 1, maxLength: 64 }), label: optional(label) }),
    reply: Type.Object({ new_mission_id: Id, new_checkpoint_id: Id }),
    journal: ['fork.created'],
    throws: ['not_found'],
  }),
  files: get('/checkpoints/:checkpointId/files', {
    summary: "List which of the crew's files differ from a checkpoint",
    access: 'VIEWER',
    query: Type.Object({
      limit: optional(
        Type.Unsafe<number | string>({ type: ['integer', 'string'], description: 'Up to 2000, else 500' }),
      ),
    }),
    reply: Type.Object({
      checkpoint_id: Id,
      crew_id: Id,
      added: Type.Integer(),
      changed: Type.Integer(),
      deleted: Type.Integer(),
      truncated: Type.Boolean({ description: 'There are more than are listed' }),
      files: Type.Array(ChangedFile, { description: 'By path' }),
    }),
    throws: reading,
  }),
  diff: get('/checkpoints/:checkpointId/files/diff', {
    summary: 'Show how the text of a file differs from a checkpoint',
    access: 'MANAGER',
    query: Type.Object({ path: Type.String({ minLength: 1, maxLength: 4096 }) }),
    reply: Type.Object({
      checkpoint_id: Id,
      path: Type.String(),
      state: Type.Enum(['text', 'binary', 'too_large', 'same', 'no_file']),
      diff: Type.String({ description: 'In the unified format; empty unless `state` is text' }),
    }),
    throws: reading,
  }),
  rewind: post('/checkpoints/:checkpointId/rewind', {
    summary: "Put the crew's files back to a checkpoint, after making one of how they are now",
    ...making,
    status: 200,
    body: Type.Object({ crew_id: optional(Type.String({ maxLength: 64, description: 'The crew that it must be' })) }),
    bodyOptional: true,
    reply: Type.Object({
      checkpoint_id: Id,
      crew_id: Id,
      before_checkpoint_id: Type.String({ description: 'The checkpoint of how the files were' }),
      written: Type.Integer({ description: 'Files, folders and links that were written' }),
      removed: Type.Integer({ description: 'Those that were removed' }),
    }),
    journal: ['files.rewind_started', 'checkpoint.created'],
    throws: [...reading, 'invalid_field', 'runs_open', 'rewind_open', 'nothing_to_anchor', 'unavailable'],
  }),
  remove: del('/checkpoints/:checkpointId', {
    summary: 'Delete a checkpoint, and the marked files that no other one names',
    ...making,
    journal: ['audit.entity_deleted'],
    throws: ['not_found', 'rewind_open'],
  }),
}
