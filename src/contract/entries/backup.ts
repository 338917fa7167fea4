import { Type } from 'typebox'
import { audit, entry } from './define.ts'

const About = Type.Object({
  bytes: Type.Integer(),
  scope: Type.String(),
  scope_level: Type.String(),
  encrypted: Type.Boolean(),
  key_included: Type.Boolean({ description: 'Whether the encryption key of stored secrets is inside' }),
})

/** `name` is the name of the bundle's file. */
export const backupFacts = {
  'backup.created': audit(
    'audit.entity_created',
    'backup',
    About,
    ({ name, metadata }, { actor }) =>
      `${actor} backed the server up as ${name}${metadata.key_included ? ', with its encryption key' : ''}` +
      `${metadata.encrypted ? '' : ', not encrypted'}`,
  ),
  'backup.deleted': audit(
    'audit.entity_deleted',
    'backup',
    Type.Object({}),
    ({ name }, { actor }) => `${actor} deleted the backup ${name}`,
  ),
  'backup.restored': audit(
    'audit.entity_restored',
    'backup',
    Type.Object({ made_at: Type.String(), seq: Type.Integer({ description: 'Entries of the journal inside' }) }),
    ({ name, metadata }) => `The server was restored from the backup ${name} of ${metadata.made_at}`,
  ),
  'backup.failed': entry(
    'backup.failed',
    'error',
    Type.Object({ code: Type.String(), reason: Type.String() }),
    ({ reason }, { actor }) => `The backup that ${actor} began failed: ${reason}`,
  ),
}
