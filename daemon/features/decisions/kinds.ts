import type { Static } from 'typebox'
import type { Decides } from '#contract/decisions'
import type { Fact } from '#contract/entries'
import type { InboxKind } from '#contract/inbox'
import type { Role } from '#contract/roles'
import type { App } from '#kernel/app'
import type { Actor } from '#kernel/feature'
import type { Raise } from '../inbox/service.ts'
import type { Row } from './queries.ts'

/** How something ceases to wait. */
export interface Ending {
  state: 'decided' | 'expired' | 'withdrawn'
  /** What was decided, as the card tells it; the kind's own word for an end without a decision unless stated. */
  outcome?: string
  /** Null: Muster itself, or whoever holds a token. */
  actor: Actor | null
  /** The person, where no more than the id is known. */
  by?: string | null
  now: string
  /** What was said with it, or why it was withdrawn. */
  comment?: string | null
  /** What it was about is gone. */
  orphaned?: true
  /** What only the kind knows of. */
  details?: Readonly<Record<string, unknown>>
}

type Chosen = Static<typeof Decides>['choices'][number]
export interface Choice extends Omit<Chosen, 'body' | 'text'> {
  body?: Chosen['body']
  /** Null: no words are taken. */
  text?: { member: string; required: boolean } | null
}

/** One kind of thing that waits for people. */
export interface Kind {
  name: string
  /** Kind of its card in the inbox. */
  card: InboxKind
  /** Who may decide, unless the one who opens it names somebody. */
  role: Role
  /** How long people may take; null: as long as they like. */
  seconds: number | null
  /** The operation that decides it. */
  operation: string
  params(row: Row): Record<string, string>
  /** What the card offers. */
  actions?(app: App, row: Row): NonNullable<Raise['actions']>
  /** How the operation is told each choice. */
  choices(app: App, row: Row): Choice[]
  /** The choice that marking the card resolved stands for; where there is none, the card says where to decide. */
  resolves?: string
  /** Where it is decided, for who tries to do that in the inbox. */
  hint?(row: Row): string
  /** Whether who set the agent up may not decide alone, where the workspace asks for a second person. */
  guarded?(app: App, row: Row): boolean
  /** Whether the card is decided by its source for good, and not only as long as it is open. */
  lasting?: true
  /** What is told when nobody decides in time. */
  expired: 'expired' | 'timed_out'
  /** Whether it is withdrawn with the agent, the crew or the workspace that it concerns. */
  orphaned: boolean
  /** Stores what is particular, and takes effect. */
  ended?(app: App, row: Row, ending: Ending): void
  /** The fact that an end is recorded as, once it has taken effect; null where the writer records more. */
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
  if (!found) throw new Error(`Nobody declares the kind of decision "${kind}"`)
  return found
}
