/** Concurrency slots: one holder may take `each` at a time, and all holders together `all`. */
export interface Slots {
  /** Takes a slot and returns the function that releases it; null when none is left. */
  take(holder: string): (() => void) | null
  /** No holder can take a slot. */
  readonly full: boolean
  /** How many are taken. */
  readonly taken: number
}

export function createSlots({ each, all = Number.POSITIVE_INFINITY }: { each: number; all?: number }): Slots {
  const held = new Map<string, number>()
  let total = 0

  function release(holder: string): void {
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
        if (taken) release(holder)
        taken = false
      }
    },
    get full() {
      return total >= all
    },
    get taken() {
      return total
    },
  }
}
