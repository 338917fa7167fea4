import type { Static } from 'typebox'
import type { Decides } from '#contract/decisions'
import type { Fact } from '#contract/entries'
import type { InboxKind } from '#contract/inbox'
import type { Role } from '#contract/roles'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import type { Raise } from '../inbox/service.ts'
import type { Row } from './queries.ts'

/** How a decision ends. */
export interface Ending {
  state: 'decided' | 'expired' | 'withdrawn'
  /** What was decided, as shown on the card; by default the kind's word for an end without a decision. */
  outcome?: string
  /** Null for Muster itself and for the holder of a token. */
  actor: Actor | null
  /** Id of the person, if that is all that is known. */
  by?: string | null
  now: string
  /** The comment of the person who decided, or why it was withdrawn. */
  comment?: string | null
  /** True when the subject of the decision was deleted. */
  orphaned?: true
  /** Members that only the kind understands. */
  details?: Readonly<Record<string, unknown>>
}

type Chosen = Static<typeof Decides>['choices'][number]
export interface Choice extends Omit<Chosen, 'body' | 'text'> {
  body?: Chosen['body']
  /** Null when no comment is accepted. */
  text?: { member: string; required: boolean } | null
}

/** One kind of decision. */
export interface Kind {
  name: string
  /** Kind of its card in the inbox. */
  card: InboxKind
  /** Who may decide, unless the opener names somebody. */
  role: Role
  /** How long people may take; null for no limit. */
  seconds: number | null
  /** The operation that decides it. */
  operation: string
  params(row: Row, app: App): Record<string, string>
  /** The choices on the card. */
  actions?(app: App, row: Row): NonNullable<Raise['actions']>
  /** Each choice, with the body that the operation takes. */
  choices(app: App, row: Row): Choice[]
  /** The choice that marking the card as resolved makes; without one, `hint` is shown instead. */
  resolves?: string
  /** Where to decide it, for people who try to do so in the inbox. */
  hint?(row: Row): string
  /** Whether the person who created the agent may not decide alone, where the workspace requires a second person. */
  guarded?(app: App, row: Row): boolean
  /** Whether that person may never decide alone, whatever the workspace says. */
  tiered?(app: App, row: Row): boolean
  /** Whether only the source may ever decide the card, even after the decision is closed. */
  lasting?: true
  /** The message when nobody decides in time. */
  expired: 'expired' | 'timed_out'
  /** Whether it is withdrawn when its agent, crew or workspace is deleted. */
  orphaned: boolean
  /** Stores the kind's own members and applies the effect of the ending. */
  ended?(app: App, row: Row, ending: Ending): void
  /** The fact that records an end once it has taken effect; null when the writer records it itself. */
  fact(app: App, row: Row, ending: Ending): Fact | null
}

const kinds = new Map<string, Kind>()

/** Adds a kind to the table. */
export function declareKind(kind: Kind): Kind {
  kinds.set(kind.name, kind)
  return kind
}

export function kindOf({ kind }: Pick<Row, 'kind'>): Kind {
  const found = kinds.get(kind)
  if (!found) throw new Error(`The kind of decision "${kind}" is not declared`)
  return found
}
