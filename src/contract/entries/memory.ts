import { Type } from 'typebox'
import { entry } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.String()
const did = {
  write: 'wrote',
  append: 'appended to',
  restore: 'restored',
  remove: 'removed',
  import: 'imported',
  merge: 'merged rules into',
} as const

/** What agents remember. No entry holds a text of it. docs/memory.md. */
export const memoryFacts = {
  'memory.updated': entry(
    'memory.updated',
    'info',
    Type.Object({
      path: text,
      tier: text,
      action: Type.Enum(Object.keys(did) as (keyof typeof did)[]),
      sha256: Type.Optional(text),
      bytes: Type.Optional(Type.Integer()),
      parent_sha: Type.Optional(text),
    }),
    ({ path, action, bytes }, { person }) =>
      `${person} ${did[action]} memory ${quoted(path)}${bytes === undefined ? '' : `, ${bytes} bytes`}`,
  ),
  'memory.write_rejected': entry(
    'memory.write_rejected',
    'warn',
    Type.Object({
      path: text,
      reason: Type.Enum(['secret', 'injection', 'cap', 'room']),
      what: text,
      bytes: Type.Integer(),
    }),
    ({ path, what }, { person }) => `What ${person} wrote to memory ${quoted(path)} was refused: ${what}`,
  ),
}
