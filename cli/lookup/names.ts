import { isWholeId } from '../output/short-id.ts'

/** Arguments and flags that take the id of something without a slug; a test holds them to `kinds`. */
export const idNames = [
  'approval',
  'assignment',
  'chat',
  'decision',
  'entry',
  'escalation',
  'id',
  'item',
  'items',
  'link',
  'notification',
  'port',
  'proposal',
  'request',
  'room',
  'rotation',
  'routine-run',
  'run',
  'session',
  'token',
  'workspace',
] as const

export type IdName = (typeof idNames)[number]

/** Flags that do. */
export const idFlags = ['chat', 'run'] as const

// Workspaces have slugs, and chats may have been given an id that reads like one: those are no parts of an id.
const partOfId = /^(?=.*\d)[a-z0-9]{4,24}$/

/** Whether an argument or flag of this name may be meant as less than a whole id. */
export function isPartOfId(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((it) => isPartOfId(name, it))
  if (typeof value !== 'string' || isWholeId(value)) return false
  if (name === 'workspace') return partOfId.test(value)
  return name !== 'chat' || partOfId.test(value) || /^\d+$|[^\w-]/.test(value)
}
