/** Does some work once for all who ask for the same while it goes on: they get the same answer. */
export function singleFlight<T>(underWay: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = underWay.get(key)
  if (known) return known
  const begun = work().finally(() => underWay.delete(key))
  underWay.set(key, begun)
  return begun
}
