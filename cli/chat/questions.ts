import type { Client } from '#client'
import type { Choice } from '../decisions/choices.ts'
import { choicesOf, type Decision, type Detail, type Item, send } from '../inbox/decisions.ts'
import { Pending } from '../inbox/pending.ts'

export interface QuestionsOptions {
  api: Client
  agentId: string
  /** How long a decision can be taken back, in milliseconds. */
  undo: number
  on: {
    asked(item: Detail): void
    /** Somebody else has decided it, or it was withdrawn. */
    gone(item: Detail): void
    sent(decision: Decision, error?: unknown): void
    changed(): void
  }
}

const held = 200

/** Whether the agent asks people for this. */
export const isOfAgent = ({ decides, sender_type, sender_id }: Item, agentId: string): boolean =>
  decides !== undefined && sender_type === 'agent' && sender_id === agentId

/** The word after the slash for a choice. */
export const commandOf = ({ label }: Choice): string => label.toLowerCase().replace(/[^a-z]+/g, '-')

/** What an agent asks people, as one of them sees it: questions, escalations and approvals. */
export class Questions {
  private readonly it: QuestionsOptions
  private readonly pending: Pending
  /** Oldest first. */
  private open: Detail[] = []
  /** Left to the inbox, or decided here. */
  private readonly aside = new Set<string>()
  private listing: Promise<void> | null = null
  private stale = false

  constructor(options: QuestionsOptions) {
    this.it = options
    this.pending = new Pending({
      window: options.undo,
      send: (decision) => send(options.api, decision),
      sent: (decision, error) => this.sent(decision, error),
      changed: options.on.changed,
    })
  }

  /** What is to be decided next. */
  get current(): Detail | null {
    return this.waiting[0] ?? null
  }

  get count(): number {
    return this.waiting.length
  }

  /** The latest decision that can still be taken back. */
  get undecided(): Pending['latest'] {
    return this.pending.latest
  }

  has(id: string): boolean {
    return this.open.some((item) => item.id === id)
  }

  choice(command: string): Choice | undefined {
    const choices = this.current ? choicesOf(this.current) : []
    return choices.find((it) => commandOf(it) === command) ?? choices.find((it) => it.means === command)
  }

  /** Looks what is asked now. Calls that come meanwhile are answered by one more look. */
  refresh(): Promise<void> {
    this.stale = true
    this.listing ??= this.list().finally(() => {
      this.listing = null
    })
    return this.listing
  }

  decide(choice: Choice, text?: string): void {
    const item = this.current
    if (!item) return
    this.aside.add(item.id)
    this.pending.add({ item, choice, ...(text && { text }) })
  }

  undo(): Decision | null {
    const back = this.pending.undo()
    if (back) this.aside.delete(back.item.id)
    this.it.on.changed()
    return back
  }

  /** Leaves the current one to the inbox. */
  later(): void {
    const { current } = this
    if (current) this.aside.add(current.id)
    this.it.on.changed()
  }

  /** Sends what is decided, without waiting any longer. */
  flush(): Promise<void> {
    return this.pending.flush()
  }

  /** Decisions that were not sent are forgotten. */
  drop(): void {
    this.pending.drop()
  }

  private get waiting(): Detail[] {
    return this.open.filter(({ id }) => !this.aside.has(id))
  }

  private async list(): Promise<void> {
    while (this.stale) {
      this.stale = false
      const { api, agentId } = this.it
      const { rows } = await api.inbox.list({ query: { state: 'active', limit: held } })
      await this.take(rows.filter((row) => isOfAgent(row, agentId)).reverse())
    }
  }

  private async take(rows: Item[]): Promise<void> {
    const gone = this.open.filter(({ id }) => !rows.some((row) => row.id === id))
    const fresh = rows.filter(({ id }) => !this.has(id))
    this.open = this.open.filter((item) => !gone.includes(item))
    for (const { id } of fresh) {
      const item = await this.it.api.inbox.show({ itemId: id })
      this.open.push(item)
      this.it.on.asked(item)
    }
    for (const item of gone) if (!this.aside.delete(item.id)) this.it.on.gone(item)
    this.pending.keepOnly(this.open, true)
    this.it.on.changed()
  }

  private sent(decision: Decision, error?: unknown): void {
    if (error !== undefined) this.aside.delete(decision.item.id)
    this.it.on.sent(decision, error)
    this.refresh().catch(() => undefined)
  }
}
