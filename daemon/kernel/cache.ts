/** A map of at most `limit` values, which evicts the least recently used. */
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
      // Inserting a value again makes it the newest in the map's order. Unnecessary while nothing is evicted.
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

/** Memoizes a function with at most `limit` results. */
export function memoize<V>(limit: number, find: (key: string) => V): (key: string) => V {
  const cache = createCache<{ value: V }>(limit)
  return (key) => {
    const known = cache.get(key)
    if (known) return known.value
    const value = find(key)
    cache.set(key, { value })
    return value
  }
}
