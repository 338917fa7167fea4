import { Type } from 'typebox'
import { get } from './define.ts'

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
      'runtime, images, crews, orphans, disk, crew data, disk reserve, permissions, database, key, network, mail',
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
    reply: Type.Object({
      status: Type.String(),
      service: Type.String(),
      version: Type.String(),
      uptime: Type.Integer({ description: 'seconds' }),
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
    reply: Type.Object({ version: Type.String(), runtime: Type.String({ description: 'docker or process' }) }),
  }),
  doctor: get('/system/doctor', {
    summary: 'Examine the server: runtime, images, what nobody owns, disk, permissions, encryption key',
    access: 'ADMIN',
    reply: Type.Array(Check),
  }),
}
