/** All that is reached from something over one step or more; itself only where a way leads back. */
export function reached(from: string, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set(next(from))
  for (const id of seen) for (const one of next(id)) seen.add(one)
  return seen
}
