/** `; did you mean "name"?` for the known name that is closest to a mistyped one; '' when none is close. */
export function hint(typed: string, known: readonly string[], most = 4): string {
  const near = known
    .map((name) => ({ name, distance: distance(typed, name) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return near && near.distance <= most ? `; did you mean "${near.name}"?` : ''
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries())
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (char === other ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
