import type { Client } from '#client'
import { issueStatuses, issueTransitions } from '#client/words'

export type Card = Awaited<ReturnType<Client['issues']['list']>>[number]
export type Status = Card['status']

export interface Column {
  status: Status
  cards: Card[]
}

/** Columns that are always there. */
const usual: ReadonlySet<Status> = new Set(['BACKLOG', 'TODO', 'IN_PROGRESS', 'REVIEW', 'DONE'])
const ranks: Readonly<Record<Card['priority'], number>> = { urgent: 0, high: 1, medium: 2, low: 3, none: 4 }
const allowed = new Map<Status, readonly Status[]>(issueTransitions as never)

/** The most urgent first, the newest first within the same. */
const inOrder = (a: Card, b: Card): number =>
  ranks[a.priority] - ranks[b.priority] || b.created_at.localeCompare(a.created_at) || b.number - a.number

/** The next status in this direction that an issue of that status may have; undefined where there is none. */
export function neighbour(status: Status, direction: 1 | -1): Status | undefined {
  const ways = issueStatuses.filter((other) => allowed.get(status)?.includes(other))
  const place = issueStatuses.indexOf(status)
  return direction > 0
    ? ways.find((other) => issueStatuses.indexOf(other) > place)
    : ways.findLast((other) => issueStatuses.indexOf(other) < place)
}

/** Where an issue of that status may go. */
export const waysFrom = (status: Status): readonly Status[] => allowed.get(status) ?? []

/** The issues of a crew in columns, one of which is chosen. */
export class Board {
  columns: Column[] = []
  /** The chosen column, and the place of the chosen issue in it. */
  at = { column: 0, card: 0 }
  private readonly cards = new Map<string, Card>()

  constructor() {
    this.arrange()
  }

  get size(): number {
    return this.cards.size
  }

  get current(): Card | undefined {
    return this.columns[this.at.column]?.cards[this.at.card]
  }

  find(id: string): Card | undefined {
    return this.cards.get(id)
  }

  /** Replaces all issues; the chosen one stays chosen. */
  fill(cards: readonly Card[]): void {
    const { id } = this.current ?? {}
    this.cards.clear()
    for (const card of cards) this.cards.set(card.id, card)
    this.arrange(id)
  }

  /** Takes an issue as it is now. */
  put(card: Card): void {
    const { id } = this.current ?? {}
    this.cards.set(card.id, card)
    this.arrange(id)
  }

  drop(id: string): void {
    const chosen = this.current?.id
    if (this.cards.delete(id)) this.arrange(chosen)
  }

  /** Chooses the issue that is so many further down. */
  down(by: number): void {
    const { cards } = this.columns[this.at.column]!
    this.at.card = within(this.at.card + by, cards.length)
  }

  /** Chooses the column that is so many further to the right. */
  right(by: number): void {
    this.at.column = within(this.at.column + by, this.columns.length)
    this.down(0)
  }

  private arrange(chosen?: string): void {
    const status = this.columns[this.at.column]?.status
    const cards = [...this.cards.values()].sort(inOrder)
    this.columns = issueStatuses
      .map((status) => ({ status, cards: cards.filter((card) => card.status === status) }))
      .filter(({ status, cards }) => usual.has(status) || cards.length)
    const found = chosen && this.cards.get(chosen)?.status
    const column = this.columns.findIndex((column) => column.status === (found || status))
    this.at.column = within(column, this.columns.length)
    const place = this.columns[this.at.column]!.cards.findIndex(({ id }) => id === chosen)
    this.at.card = place
    if (place < 0) this.down(0)
  }
}

const within = (place: number, length: number): number => Math.max(0, Math.min(place, length - 1))

/** Issues in the order of their columns. */
export function inColumns(cards: readonly Card[]): Card[] {
  const board = new Board()
  board.fill(cards)
  return board.columns.flatMap((column) => column.cards)
}
