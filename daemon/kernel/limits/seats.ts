/** Places of which one holder may have `each` at a time, and everybody together `all`. */
export interface Seats {
  /** Takes a place; what it returns gives the place back, once. Null when there is none left. */
  take(holder: string): (() => void) | null
  /** Nobody gets a place at the moment, whoever asks. */
  readonly full: boolean
}

export function createSeats({ each, all = Number.POSITIVE_INFINITY }: { each: number; all?: number }): Seats {
  const held = new Map<string, number>()
  let total = 0

  function giveBack(holder: string): void {
    const left = held.get(holder)! - 1
    if (left === 0) held.delete(holder)
    else held.set(holder, left)
    total--
  }

  return {
    take(holder) {
      const count = held.get(holder) ?? 0
      if (count >= each || total >= all) return null
      held.set(holder, count + 1)
      total++
      let taken = true
      return () => {
        if (taken) giveBack(holder)
        taken = false
      }
    },
    get full() {
      return total >= all
    },
  }
}
