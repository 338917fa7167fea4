import { type Decision, type Item, wordsOf } from './decisions.ts'

export interface PendingOptions {
  /** How long a decision can be taken back, in milliseconds; 0 sends it at once. */
  window: number
  send(decision: Decision): Promise<void>
  /** It was sent, or refused with the error. */
  sent(decision: Decision, error?: unknown): void
  changed(): void
}

interface Held {
  decision: Decision
  due: number
}

/** Decisions that were made and are not sent yet: each can be taken back until its time is over. */
export class Pending {
  private held: Held[] = []
  private readonly it: PendingOptions
  private readonly underWay = new Set<Promise<void>>()
  private timer: NodeJS.Timeout | null = null
  /** Decisions that the service took, and that it refused. */
  sent = 0
  failed = 0

  constructor(options: PendingOptions) {
    this.it = options
  }

  get size(): number {
    return this.held.length
  }

  of(id: string): Decision | undefined {
    return this.held.find(({ decision }) => decision.item.id === id)?.decision
  }

  /** The latest decision, and how many seconds are left to take it back. */
  get latest(): { decision: Decision; seconds: number } | null {
    const last = this.held.at(-1)
    return last ? { decision: last.decision, seconds: Math.max(1, Math.ceil((last.due - Date.now()) / 1000)) } : null
  }

  /** A second decision about an item replaces the first. */
  add(decision: Decision): void {
    this.held = [
      ...this.held.filter((it) => it.decision.item.id !== decision.item.id),
      { decision, due: Date.now() + this.it.window },
    ]
    this.check()
  }

  /** Takes the latest decision back. */
  undo(): Decision | null {
    const last = this.held.pop()
    this.check()
    return last?.decision ?? null
  }

  drop(): void {
    this.held = []
    this.check()
  }

  /**
   * Drops decisions about items that are gone, or not what they were: what was decided is not there any more. `all`:
   * there are no other items.
   */
  keepOnly(items: readonly Item[], all: boolean): string[] {
    const versions = new Map(items.map(({ id, updated_at }) => [id, updated_at]))
    const dropped = this.held.filter(
      ({ decision: { item } }) => (all || versions.has(item.id)) && versions.get(item.id) !== item.updated_at,
    )
    if (!dropped.length) return []
    this.held = this.held.filter((it) => !dropped.includes(it))
    this.check()
    return dropped.map(
      ({ decision }) =>
        `${wordsOf(decision.choice)[0]} was dropped: ` +
        `${versions.has(decision.item.id) ? 'the item has changed' : 'it is decided already'}.`,
    )
  }

  /** Sends everything now; resolves once all of it is answered. */
  async flush(): Promise<void> {
    for (const { decision } of this.held.splice(0)) this.dispatch(decision)
    this.check()
    await Promise.all(this.underWay)
  }

  private check(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    const now = Date.now()
    const due = this.held.filter((it) => it.due <= now)
    this.held = this.held.filter((it) => it.due > now)
    for (const { decision } of due) this.dispatch(decision)
    if (this.held.length) this.timer = setTimeout(() => this.check(), Math.min(...this.held.map((it) => it.due)) - now)
    this.it.changed()
  }

  private dispatch(decision: Decision): void {
    const work = this.it
      .send(decision)
      .then(
        () => {
          this.sent++
          this.it.sent(decision)
        },
        (error: unknown) => {
          this.failed++
          this.it.sent(decision, error)
        },
      )
      .finally(() => this.underWay.delete(work))
    this.underWay.add(work)
  }
}
