import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const Container = Type.Object({
  container_id: Type.Union([Type.String(), Type.Null()]),
  error: Type.Optional(Type.String()),
})
const level = { disk_level: Type.Enum(['ok', 'warn', 'full']) }
const CrewDisk = Type.Object({
  disk_bytes: Type.Integer(),
  disk_files: Type.Integer(),
  disk_limit_bytes: Type.Integer(),
  ...level,
  used: Type.String({ description: 'in words, such as "810 MB of 1000 MB"' }),
})
const ServerDisk = Type.Object({
  disk_free_bytes: Type.Integer(),
  disk_total_bytes: Type.Integer(),
  disk_reserve_bytes: Type.Number(),
  ...level,
  error: Type.Optional(Type.String()),
})
const Step = Type.Object({
  step: Type.String({ description: 'what is being done, such as "starting the sidecar"' }),
  status: Type.Literal('running'),
})

/** Facts of the runtime: containers, their disks and their network. */
export const containerFacts = {
  'container.started': entry('container.started', 'info', Container, (_, { crew }) => `Crew ${crew} is running`),
  'container.stopped': entry('container.stopped', 'info', Container, (_, { crew }) => `Crew ${crew} has stopped`),
  'container.failed': entry(
    'container.failed',
    'error',
    Container,
    ({ error }, { crew }) => `The container of crew ${crew} failed: ${error ?? 'no reason was given'}`,
  ),
  'container.reaped': entry(
    'container.reaped',
    'warn',
    Type.Object({ container_id: Type.Union([Type.String(), Type.Null()]), crew_id: Type.String() }),
    ({ crew_id }) => `The container of the unknown crew ${crew_id} was removed; its volumes were kept`,
  ),
  'crew.disk_used': entry(
    'container.metrics',
    'info',
    CrewDisk,
    ({ used }, { crew }) => `Crew ${crew} has used ${used}`,
  ),
  'crew.disk_full': entry(
    'container.failed',
    'error',
    CrewDisk,
    ({ used }, { crew }) => `Crew ${crew} was stopped: it has used ${used}`,
  ),
  'crew.stopped_for_room': entry(
    'container.failed',
    'error',
    Type.Object({ error: Type.String() }),
    ({ error }, { crew }) => `Crew ${crew} was stopped: ${error}`,
  ),
  'server.disk': entry('container.metrics', 'info', ServerDisk, ({ disk_level, error }) => {
    if (disk_level === 'full') return `${error ?? 'The disk of this server is nearly full'}: agents wait`
    return disk_level === 'warn'
      ? 'The disk of this server is four fifths full'
      : 'There is room on the disk of this server again'
  }),
  'provisioning.step': entry(
    'provisioning.step',
    'info',
    Step,
    ({ step }, { crew }) => `Crew ${crew} is being prepared: ${step}`,
  ),
  'provisioning.building': entry(
    'provisioning.building',
    'info',
    Step,
    ({ step }, { crew }) => `Crew ${crew} is being prepared: ${step}`,
  ),
  'provisioning.complete': entry(
    'provisioning.complete',
    'notice',
    Type.Object({}),
    (_, { crew }) => `The image of crew ${crew} is ready`,
  ),
  'provisioning.failed': entry(
    'provisioning.failed',
    'warn',
    Type.Object({ error: Type.String(), step: Type.String() }),
    ({ error }, { crew }) => `Crew ${crew} has no image: ${error}`,
  ),
  'network.egress': entry(
    'network.egress',
    'warn',
    Type.Object({
      denied: Type.Literal(true),
      host: Type.String({ description: 'as the agent named it' }),
      port: Type.Integer(),
      reason: Type.String(),
      unreported: Type.Optional(
        Type.Integer({ description: 'other denials since the last report, which have no entry' }),
      ),
    }),
    ({ host, port, reason }, { agent }) =>
      `A connection from ${agent} to ${quoted(`${host}:${port}`)} was refused: ${reason}`,
  ),
}
