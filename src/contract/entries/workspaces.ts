import { Type } from 'typebox'
import { audit, audits } from './define.ts'

const Applied = Type.Object({ created: Type.Integer(), changed: Type.Integer(), destroyed: Type.Integer() })

export const workspaceFacts = {
  ...audits('workspace', 'Workspace'),
  'workspace.applied': audit(
    'audit.entity_updated',
    'workspace',
    Applied,
    ({ metadata: { created, changed, destroyed } }, { actor }) =>
      `Files were applied by ${actor}: ${created} created, ${changed} changed, ${destroyed} destroyed`,
    { action: 'apply' },
  ),
}
