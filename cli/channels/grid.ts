import { notificationCategories } from '#client/words'
import type { Reply } from '#contract/define'
import type { notificationPreferences } from '#contract/preferences'
import type { Channel } from '../views/channels.ts'

export type Cell = Reply<typeof notificationPreferences.notifications>['cells'][number]
type State = Cell['state']

/** Mutes a channel. */
const mute = '*'
const states: readonly State[] = ['off', 'immediate']

export const rows: readonly Cell['category'][] = [...notificationCategories, mute]

const keyOf = (category: string, channel: string): string => `${category} ${channel}`

/** What somebody wants through which channel, while they change it. */
export class Grid {
  readonly channels: readonly Channel[]
  readonly names: readonly string[]
  row = 0
  column = 0
  private readonly stored = new Map<string, State>()
  private readonly wanted = new Map<string, State>()

  constructor(channels: readonly Channel[], cells: readonly Cell[]) {
    this.channels = channels
    this.names = namesOf(channels)
    for (const { category, channel_id, state } of cells) this.stored.set(keyOf(category, channel_id), state)
  }

  state(row: number, column: number): State {
    const key = keyOf(rows[row]!, this.channels[column]!.id)
    return this.wanted.get(key) ?? this.stored.get(key) ?? 'off'
  }

  isChanged(row: number, column: number): boolean {
    return this.wanted.has(keyOf(rows[row]!, this.channels[column]!.id))
  }

  move(down: number, right: number): void {
    this.row = Math.min(rows.length - 1, Math.max(0, this.row + down))
    this.column = Math.min(this.channels.length - 1, Math.max(0, this.column + right))
  }

  toggle(): void {
    const now = states.indexOf(this.state(this.row, this.column))
    this.set(this.row, this.column, states[(now + 1) % states.length]!)
  }

  /** Everything of this row, but for those that are on already; where all are, nothing. */
  toggleRow(): void {
    const columns = this.channels.map((_, at) => at)
    const isFull = columns.every((at) => this.state(this.row, at) !== 'off')
    for (const at of columns) this.setOn(this.row, at, !isFull)
  }

  /** As `toggleRow`, for the channel; its mute stays as it is. */
  toggleColumn(): void {
    const all = rows.flatMap((category, at) => (category === mute ? [] : [at]))
    const isFull = all.every((at) => this.state(at, this.column) !== 'off')
    for (const at of all) this.setOn(at, this.column, !isFull)
  }

  private setOn(row: number, column: number, on: boolean): void {
    if ((this.state(row, column) !== 'off') !== on) this.set(row, column, on ? 'immediate' : 'off')
  }

  private set(row: number, column: number, state: State): void {
    const key = keyOf(rows[row]!, this.channels[column]!.id)
    if ((this.stored.get(key) ?? 'off') === state) this.wanted.delete(key)
    else this.wanted.set(key, state)
  }

  /** What is other than what is stored. */
  changes(): Cell[] {
    return this.channels.flatMap(({ id }) =>
      rows.flatMap((category) => {
        const state = this.wanted.get(keyOf(category, id))
        return state ? [{ category, channel_id: id, state }] : []
      }),
    )
  }
}

/** Services of channels; those of the same service have the end of their id as well. */
function namesOf(channels: readonly Channel[]): string[] {
  const services = channels.map(({ type, provider }) => provider ?? type)
  return services.map((name, at) =>
    services.filter((it) => it === name).length > 1 ? `${name} …${channels[at]!.id.slice(-4)}` : name,
  )
}
