import type { Client } from '#client'
import type { Reply } from '#contract/define'
import type { inbox } from '#contract/inbox'
import type { Detail, Item } from './decisions.ts'

type Listed = Reply<typeof inbox.list>
type Query = { state: 'active' | 'unread' | 'read' | 'resolved' | 'all'; kind?: Item['kind'] }

/** As many items as are held at once. */
const held = 200

/** The listed items, which of them is chosen, and its details. */
export class ItemList {
  items: Item[] = []
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
    this.items = this.items.map((item) => (item.id === id ? { ...item, state } : item))
  }

  private async list(): Promise<void> {
    while (this.stale) {
      this.stale = false
      const { rows, has_more, ...counts } = await this.api.inbox.list({ query: { ...this.query, limit: held } })
      this.items = rows
      this.counts = counts
      this.more = has_more
      this.loaded = true
      const at = rows.findIndex(({ id }) => id === this.chosen)
      if (at >= 0) this.index = at
      else if (this.chosen === null || !rows.length) this.choose(0)
    }
  }
}
