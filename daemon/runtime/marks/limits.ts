import { statfsSync } from 'node:fs'

/** Entries of a crew, and of a mark. */
const mostEntries = 500_000

/** Why it gave up; people read it. */
export class GivenUp extends Error {}

/** Stops work that takes too long or too much. */
export class Limits {
  readonly #until: number
  readonly #room: { store: string; mostBytes: number; reserveBytes: number } | null
  #held: number
  #entries = 0
  #sinceLook = 0

  constructor(seconds: number, room: { store: string; mostBytes: number; reserveBytes: number } | null, held = 0) {
    this.#until = Date.now() + seconds * 1000
    this.#room = room
    this.#held = held
    if (room) this.#look()
  }

  entry(): void {
    if (++this.#entries > mostEntries) throw new GivenUp(`there are more than ${mostEntries} files and folders`)
    if (this.#entries % 256 === 0) this.#checkTime()
  }

  read(): void {
    this.#checkTime()
  }

  /** Before this many bytes are added to the store. */
  stored(bytes: number): void {
    if (!this.#room) return
    this.#held += bytes
    this.#sinceLook += bytes
    if (this.#held > this.#room.mostBytes)
      throw new GivenUp(
        `marked files would take more than ${Math.round(this.#room.mostBytes / 1024 ** 2)} MB of this crew's share ` +
          '(SVC_CREW_MARKS_MB): delete checkpoints that nobody needs',
      )
    if (this.#sinceLook > 16 * 1024 ** 2) this.#look()
  }

  #look(): void {
    const { store, reserveBytes } = this.#room!
    const { bavail, bsize } = statfsSync(store)
    this.#sinceLook = 0
    if (bavail * bsize < reserveBytes) throw new GivenUp('the disk is nearly full')
  }

  #checkTime(): void {
    if (Date.now() > this.#until) throw new GivenUp('it took too long')
  }
}
