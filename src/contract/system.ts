import { Type } from 'typebox'
import { get } from './define.ts'
import { nullable } from './fields.ts'

export const Health = Type.Object({
  status: Type.String({
    description: 'ok, or degraded while a part does not work: reads are answered then, writes may be refused',
  }),
  degraded: Type.Optional(
    Type.Array(Type.Object({ name: Type.String({ description: 'disk' }), reason: Type.String() })),
  ),
})

/** What an operator should know of one part of the server. */
export const Check = Type.Object({
  name: Type.String({
    description:
      'runtime, images, crews, orphans, disk, crew data, disk reserve, permissions, database, key, network, mail, ' +
      'backup',
  }),
  status: Type.Enum(['ok', 'warn', 'fail']),
  detail: Type.String(),
  fix: Type.Union([Type.String(), Type.Null()], {
    description: 'What to do about it; null when there is nothing to do',
  }),
})

export const system = {
  health: get('/api/health', {
    root: true,
    summary: 'Say whether the daemon and its database answer',
    access: 'public',
    rate: 'none',
    reply: Health,
    throws: ['unavailable'],
  }),
  alive: get('/healthz', {
    root: true,
    summary: 'Say that the process runs, and for how long',
    access: 'public',
    rate: 'none',
    query: Type.Object({
      challenge: Type.Optional(
        Type.String({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits, drawn by the client' }),
      ),
    }),
    reply: Type.Object({
      status: Type.String(),
      service: Type.String(),
      version: Type.String(),
      uptime: Type.Integer({ description: 'seconds' }),
      instance: Type.Optional(
        Type.Object(
          {
            id: Type.String(),
            proof: Type.String({ description: 'HMAC-SHA256 over the challenge and where it was asked' }),
          },
          { description: 'Given with a challenge: proves to whoever can read the data folder that this is its daemon' },
        ),
      ),
    }),
  }),
  ready: get('/readyz', {
    root: true,
    kind: 'text',
    summary: 'Say whether requests are admitted',
    access: 'public',
    rate: 'none',
  }),
  metrics: get('/metrics', {
    root: true,
    kind: 'text',
    summary: 'Prometheus metrics, for this machine or the holder of the metrics token',
    access: 'public',
    rate: 'none',
    throws: ['not_found'],
  }),
  openapi: get('/openapi.json', { kind: 'text', summary: 'This interface as OpenAPI 3.1', access: 'public' }),
  setup: get('/system/setup-status', {
    summary: 'Say whether the server still waits for its first user',
    access: 'public',
    reply: Type.Object({ needs_bootstrap: Type.Boolean(), allow_signup: Type.Boolean() }),
  }),
  version: get('/system/version', {
    summary: 'Running version',
    access: 'signed-in',
    reply: Type.Object({
      version: Type.String(),
      runtime: Type.String({ description: 'docker or process' }),
      current: Type.String({ description: 'The same as version' }),
      latest: nullable(
        Type.String({ description: 'Null where nobody is asked for releases (`releases.url`), or none is known yet' }),
      ),
      newer: Type.Boolean({ description: 'There is a later release' }),
      url: nullable(Type.String()),
      commit: nullable(Type.String({ description: 'Null where the build does not say, as for the next two' })),
      build_time: nullable(Type.String()),
      dirty: nullable(Type.Boolean()),
      go_version: nullable(Type.String({ description: 'Null: this server is not written in Go' })),
      node_version: Type.String(),
      os: Type.String(),
      arch: Type.String(),
      schema_version: Type.Integer({ description: 'Number of the newest migration of the database' }),
    }),
  }),
  daemon: get('/musterd', {
    summary: 'Say whether the daemon works, and for how long it runs',
    access: 'VIEWER',
    aliases: 'healthAliases',
    reply: Type.Object({ status: Type.String({ description: 'ok or degraded' }), uptime: Type.String() }),
    throws: ['unavailable'],
  }),
  runtime: get('/system/runtime', {
    summary: 'Say whether there is a container runtime; which one is for admins of the first workspace',
    access: 'signed-in',
    reply: Type.Object({
      available: Type.Boolean(),
      runtime: nullable(Type.String({ description: 'docker or process' })),
      version: nullable(Type.String()),
      socket: nullable(Type.String()),
      runtimes: Type.Array(
        Type.Object({
          runtime: Type.String(),
          version: nullable(Type.String()),
          socket: nullable(Type.String()),
          in_use: Type.Boolean(),
        }),
      ),
      install_links: Type.Record(Type.String(), Type.String()),
    }),
  }),
  telemetry: get('/system/telemetry', {
    summary: 'Say whether the server reports errors to its makers: it never does',
    access: 'public',
    reply: Type.Object({ enabled: Type.Boolean(), install_id: nullable(Type.String()) }),
  }),
  doctor: get('/system/doctor', {
    summary: 'Examine the server: runtime, images, what nobody owns, disk, permissions, encryption key',
    access: 'ADMIN',
    reply: Type.Array(Check),
  }),
}
