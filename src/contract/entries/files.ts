import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

export const fileFacts = {
  'file.written': entry(
    'file.written',
    'info',
    Type.Object({
      path: Type.String(),
      agent: Type.String({ description: 'Slug' }),
      size: Type.Integer(),
      op: Type.Enum(['create', 'write']),
    }),
    ({ path, size, op }, { actor, agent }) =>
      `${actor} ${op === 'create' ? 'created' : 'changed'} the file ${quoted(path)} of ${agent} (${size} bytes)`,
  ),
}
