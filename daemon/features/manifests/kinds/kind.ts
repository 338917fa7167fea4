import type { KindName } from '#contract/manifest-kinds'
import type { App } from '#kernel/app'
import type { Members, Stored } from '../types.ts'

/** How a kind's operations are called, and the things that it names found. */
export interface Hands {
  readonly app: App
  readonly workspace: string
  /** Calls an operation as the person who applies. */
  call(operation: string, input: object): { id?: string }
  /** The id of a thing, which may have been made just now; a problem of that member where there is none. */
  id(kind: KindName, name: string, member: string): string
  /** The id of a credential or skill that an agent is given. */
  held(agentId: string, kind: 'Skill' | 'Credential', name: string): string
  /** Routines are saved without a test. */
  readonly skipsTests: boolean
  /** The value of a new credential; another text where a plan is made without it. */
  value(env: string): string
  /** Whether that value was given. */
  isGiven(env: string): boolean
  /** Calls are only noted, and nothing may be stored. */
  readonly isRehearsal: boolean
}

/** How things of a kind are read, and made what documents say. */
export interface Kind {
  stored(app: App, workspace: string): Stored[]
  /** Makes a thing and answers its id. */
  create(at: Hands, name: string, members: Members): string
  /** Changes what differs; `stored` says how it is. */
  change(at: Hands, stored: Stored, members: Members): void
  /** Removes a thing. Without this nothing of the kind is ever destroyed. */
  remove?(at: Hands, stored: Stored): void
}

/** The members without some, and without what is absent. */
export const without = (members: Members, ...names: string[]): Members =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))

/** The member as the API takes it: the id of a thing in place of its name. */
export function reference(
  at: Hands,
  members: Members,
  { member, kind, as }: { member: string; kind: KindName; as: string },
): Members {
  const name = members[member] as string | null | undefined
  if (name === undefined) return {}
  return { [as]: name === null ? null : at.id(kind, name, member) }
}

/** What a column of JSON holds. */
export const parsed = (json: unknown): unknown => (json === null ? null : JSON.parse(String(json)))

/** The members of a stored row besides its id. */
export const rest = ({ id: _id, ...members }: Record<string, unknown>): Members => members
