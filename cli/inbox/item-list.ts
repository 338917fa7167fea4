import type { Client } from '#client'
import type { Reply } from '#contract/define'
import type { inbox } from '#contract/inbox'
import { kindName } from '../views/inbox.ts'
import type { Detail, Item } from './decisions.ts'

type Listed = Reply<typeof inbox.list>
type Query = { state: 'active' | 'unread' | 'read' | 'resolved' | 'all'; kind?: Item['kind'] }

/** As many items as are held at once. */
const held = 200

/** The listed items, which of them is chosen, and its details. */
export class ItemList {
  /** Every item, whatever the filter. */
  all: Item[] = []
  /** Words that an item must have to be listed. */
  filter = ''
  counts: Pick<Listed, 'unread_count' | 'decision_count' | 'active_by_kind'> = { unread_count: 0 }
  /** There are more than are held. */
  more = false
  loaded = false
  private readonly api: Client
  private readonly query: Query
  private chosen: string | null = null
  private index = 0
  private detail: Detail | null = null
  private failure: unknown = null
  private loading: string | null = null
  private listing: Promise<void> | null = null
  private stale = false

  constructor(api: Client, query: Query) {
    this.api = api
    this.query = query
  }

  /** What is listed. */
  get items(): Item[] {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean)
    return words.length ? this.all.filter((item) => words.every((word) => textOf(item).includes(word))) : this.all
  }

  /** The chosen item; null when there is none, or it is not there any more. */
  get current(): Item | null {
    return this.items.find(({ id }) => id === this.chosen) ?? null
  }

  /** The index of the chosen item, or the last one that it had. */
  get place(): number {
    return this.index
  }

  /** Somebody decided the chosen item. No other item is chosen: the user may be pressing a key for this one. */
  get gone(): boolean {
    return this.chosen !== null && this.current === null
  }

  /** Everything about the chosen item, as long as it is what is listed. */
  get shown(): Detail | null {
    const item = this.current
    return item && this.detail?.id === item.id && this.detail.updated_at === item.updated_at
      ? { ...this.detail, state: item.state }
      : null
  }

  /** Why the chosen item cannot be shown. */
  get trouble(): unknown {
    return this.failure
  }

  /** Lists anew. Calls that come meanwhile are answered by one more list. */
  refresh(): Promise<void> {
    this.stale = true
    this.listing ??= this.list().finally(() => {
      this.listing = null
    })
    return this.listing
  }

  move(by: number): boolean {
    return this.choose(this.gone && by > 0 ? this.index : this.index + by)
  }

  choose(index: number): boolean {
    const at = Math.max(0, Math.min(index, this.items.length - 1))
    const before = this.chosen
    this.index = at
    this.chosen = this.items[at]?.id ?? null
    return this.chosen !== before
  }

  /** Lists what has these words, and chooses the first of it unless the chosen item is among it. */
  narrow(words: string): void {
    this.filter = words.trim()
    if (!this.current) this.choose(0)
    this.settle()
  }

  /** Goes to an item by its number in the list, from 1, or the beginning of its id; false when there is none. */
  jump(to: string): boolean {
    const { items } = this
    const named = items.findIndex(({ id, source_id }) => id.startsWith(to) || source_id.startsWith(to))
    const at = /^\d+$/.test(to) ? Number(to) - 1 : named
    if (!items[at]) return false
    this.choose(at)
    return true
  }

  /** Fetches what is not known of the chosen item. Resolves to false when another one was chosen meanwhile. */
  async load(): Promise<boolean> {
    const item = this.current
    if (!item || this.shown) return false
    const version = `${item.id} ${item.updated_at}`
    if (this.loading === version) return false
    this.loading = version
    this.failure = null
    try {
      const detail = await this.api.inbox.show({ itemId: item.id })
      if (this.loading === version) this.detail = detail
    } catch (error) {
      if (this.loading === version) this.failure = error
    }
    if (this.loading !== version) return false
    this.loading = null
    return true
  }

  /** The chosen item is read now; the list says so before the service does. */
  mark(id: string, state: 'read' | 'unread'): void {
    this.all = this.all.map((item) => (item.id === id ? { ...item, state } : item))
  }

  /** The index follows the chosen item. */
  private settle(): void {
    const { items } = this
    const at = items.findIndex(({ id }) => id === this.chosen)
    if (at >= 0) this.index = at
    else if (this.chosen === null || !items.length) this.choose(0)
  }

  private async list(): Promise<void> {
    while (this.stale) {
      this.stale = false
      const { rows, has_more, ...counts } = await this.api.inbox.list({ query: { ...this.query, limit: held } })
      this.all = rows
      this.counts = counts
      this.more = has_more
      this.loaded = true
      this.settle()
    }
  }
}

/** What a filter looks at. */
const textOf = ({ id, title, kind, sender_name = '', body_md = '' }: Item): string =>
  `${id} ${title} ${kind.replaceAll('_', ' ')} ${kindName(kind)} ${sender_name} ${body_md}`.toLowerCase()
