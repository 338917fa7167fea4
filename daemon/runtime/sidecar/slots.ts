/** A uid, an agent by its id, or nobody in particular. */
type Caller = number | string | null

/** Limits concurrency in total and for each caller, so that one agent cannot starve its crew. */
export interface Slots {
  /** Takes a slot and returns the function that releases it; null when none is free. */
  take(caller: Caller): (() => void) | null
}

export function createSlots(total: number, each: number): Slots {
  const held = new Map<Caller, number>()
  let all = 0
  return {
    take(caller) {
      const own = held.get(caller) ?? 0
      if (all >= total || own >= each) return null
      all++
      held.set(caller, own + 1)
      let given = false
      return () => {
        if (given) return
        given = true
        all--
        const left = held.get(caller)! - 1
        if (left) held.set(caller, left)
        else held.delete(caller)
      }
    },
  }
}
