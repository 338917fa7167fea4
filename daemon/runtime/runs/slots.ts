/** Limits how many runs work at once; further ones wait in the order in which they came. */
export class Slots {
  private taken = 0
  private readonly waiting: (() => void)[] = []
  private readonly size: number

  constructor(size: number) {
    this.size = size
  }

  /** How many wait for a place. */
  get line(): number {
    return this.waiting.length
  }

  get free(): boolean {
    return this.taken < this.size && this.waiting.length === 0
  }

  /** Takes a place even when there is none: for runs that are going on already. */
  force(): () => void {
    this.taken++
    return once(() => this.release())
  }

  /** Resolves with the way to give the place back; null when the signal came first. */
  take(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null)
    if (this.free) return Promise.resolve(this.force())
    return new Promise((resolve) => {
      const enter = () => {
        signal.removeEventListener('abort', leave)
        resolve(this.force())
      }
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(enter), 1)
        resolve(null)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.waiting.push(enter)
    })
  }

  private release(): void {
    this.taken--
    while (this.taken < this.size && this.waiting.length) this.waiting.shift()!()
  }
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
