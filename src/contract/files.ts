import { Type } from 'typebox'
import { get, put } from './define.ts'

const optional = Type.Optional

/** Most bytes of a file that is saved. */
export const savedBytes = 32 * 1024 * 1024

const file = {
  path: Type.String({ description: "Relative to the agent's folder" }),
  name: Type.String(),
  size: Type.Integer(),
  is_dir: Type.Boolean(),
}

const Commit = Type.Object({
  hash: Type.String(),
  message: Type.String(),
  author: Type.String(),
  date: Type.String({ description: 'RFC 3339, in the zone of its author' }),
  patch: optional(Type.String({ description: 'With patch=1: what it changed, cut where it is long' })),
})

/** The files of agents. */
export const files = {
  list: get('/agents/:agentId/files', {
    summary: "List files of an agent's output folder",
    access: 'VIEWER',
    query: Type.Object({
      subdir: optional(Type.String()),
      recursive: optional(Type.String({ description: '1 or true: with everything below' })),
    }),
    reply: Type.Array(Type.Object({ ...file, mod_time: Type.String() })),
    throws: ['not_found', 'foreign_file', 'runtime_failed', 'runtime_unavailable'],
  }),
  download: get('/agents/:agentId/files/download', {
    summary: "A file of an agent's output folder; its ETag is what a later save may name in If-Match",
    access: 'VIEWER',
    kind: 'text',
    query: Type.Object({ path: Type.String({ minLength: 1 }) }),
    throws: ['not_found', 'foreign_file', 'runtime_failed', 'runtime_unavailable'],
  }),
  save: put('/agents/:agentId/files/save', {
    summary: "Save a file in an agent's output folder, as the agent; If-Match and If-None-Match: * refuse conflicts",
    access: 'MANAGER',
    crew: 'agentId',
    scope: 'agents:write',
    query: Type.Object({ path: Type.String({ minLength: 1, maxLength: 4096 }) }),
    bytes: true,
    bodyLimit: savedBytes,
    overLimit: { code: 'body_too_large' },
    reply: Type.Object({
      status: Type.Enum(['saved', 'unchanged']),
      path: Type.String({ description: "Relative to the agent's folder" }),
    }),
    journal: ['file.written'],
    noDryRun: "it works on the crew's disk, which takes nothing back",
    throws: [
      'not_found',
      'foreign_file',
      'file_refused',
      'file_changed',
      'crew_not_running',
      'runtime_failed',
      'runtime_unavailable',
    ],
  }),
}

/** What else can be seen of an agent's container. */
export const agentFiles = {
  containerFiles: get('/agents/:agentId/container-files', {
    summary: "List files of an agent's home folder in its running container, three levels deep",
    access: 'VIEWER',
    query: Type.Object({ subdir: optional(Type.String()) }),
    reply: Type.Array(
      Type.Object({ ...file, path: Type.String({ description: "Relative to the agent's home folder" }) }),
    ),
    throws: ['not_found', 'container_unreachable', 'runtime_failed', 'runtime_unavailable'],
  }),
  gitLog: get('/agents/:agentId/git-log', {
    summary: "The last 20 commits of an agent's output folder; none where it is no repository",
    access: 'VIEWER',
    query: Type.Object({ patch: optional(Type.String({ description: '1 or true: with what each commit changed' })) }),
    reply: Type.Array(Commit),
    throws: ['not_found', 'container_unreachable', 'runtime_failed', 'runtime_unavailable'],
  }),
}
