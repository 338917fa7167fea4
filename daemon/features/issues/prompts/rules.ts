/** The newest parts that fit, oldest first; `left` is how many do not. */
export function fitting(newest: readonly string[], total: number, room: number): { parts: string[]; left: number } {
  let free = room
  const parts: string[] = []
  for (const part of newest) {
    free -= part.length
    if (free < 0) break
    parts.unshift(part)
  }
  return { parts, left: total - parts.length }
}
