import type { DeviceRoom } from './room.ts'
import { type Level, levelOfRoom, lookAgain, reserveOf, size } from './rules.ts'

export interface MachineDiskParts {
  /** Bytes that are reserved for the daemon, fewer on a small disk. */
  wanted: number
  look(): DeviceRoom
  /** Called after every check. */
  noticed(): void
  failed(error: Error): void
}

/** Watches the disk that holds the daemon's own data. */
export class MachineDisk {
  level: Level = 'ok'
  room: DeviceRoom = { total: 0, used: 0, free: 0, device: -1 }
  reserve = 0
  readonly #parts: MachineDiskParts
  readonly #waiting = new Set<() => void>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(parts: MachineDiskParts) {
    this.#parts = parts
  }

  /** Checks now and schedules the next check, sooner with less space left. */
  look(): void {
    if (this.#timer) clearTimeout(this.#timer)
    if (this.#closed) return
    try {
      this.#judge(this.#parts.look())
    } catch (error) {
      this.#parts.failed(error as Error)
    }
    this.#timer = setTimeout(() => this.look(), lookAgain(this.room, this.reserve)).unref()
  }

  #judge(room: DeviceRoom): void {
    this.room = room
    this.reserve = reserveOf(room, this.#parts.wanted)
    this.level = levelOfRoom(room, this.reserve, this.level)
    this.#parts.noticed()
    if (this.level === 'full') return
    for (const go of this.#waiting) go()
    this.#waiting.clear()
  }

  /** Resolves when there is space or the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.level !== 'full' || signal.aborted) return
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#waiting.delete(go)
        signal.removeEventListener('abort', go)
        resolve()
      }
      this.#waiting.add(go)
      signal.addEventListener('abort', go)
    })
  }

  get words(): string {
    const { free, total } = this.room
    const figures = `${size(free)} of ${size(total)} free, ${size(this.reserve)} are kept`
    return `The disk of this server is nearly full (${figures})`
  }

  close(): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    for (const go of this.#waiting) go()
  }
}
