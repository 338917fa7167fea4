/** A map that holds at most `limit` values; those that were not asked for in a long time go first. */
export interface Cache<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  entries(): IterableIterator<[string, V]>
  readonly size: number
}

export function createCache<V>(limit: number): Cache<V> {
  const held = new Map<string, V>()
  const crowded = limit / 2
  return {
    get(key) {
      const value = held.get(key)
      if (value === undefined || held.size < crowded) return value
      // A map keeps the order of insertion: putting a value in again makes it the youngest. Pointless while there is
      // room.
      held.delete(key)
      held.set(key, value)
      return value
    },
    set(key, value) {
      held.delete(key)
      held.set(key, value)
      if (held.size > limit) held.delete(held.keys().next().value!)
    },
    delete: (key) => void held.delete(key),
    entries: () => held.entries(),
    get size() {
      return held.size
    },
  }
}

/** The same function, which remembers its last answers. */
export function remembering<V>(limit: number, find: (key: string) => V): (key: string) => V {
  const cache = createCache<{ value: V }>(limit)
  return (key) => {
    const known = cache.get(key)
    if (known) return known.value
    const value = find(key)
    cache.set(key, { value })
    return value
  }
}
