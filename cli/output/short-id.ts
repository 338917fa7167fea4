// Ids begin with the time, which things made together share; what follows is random. So the end tells them apart.
const whole = /^(?:(?:[a-z]+_)+|)c[0-9a-z]{24}$|^s_[0-9a-f]{64}$|^j_[0-9a-f]{16}$/

/** Whether this is an id in full, which needs no looking up. */
export const isWholeId = (text: string): boolean => whole.test(text)

// Entries of the journal are many, and half of their end is counted up.
const lengthOf = (id: string) => (id.startsWith('j_') ? 12 : 8)

/** The shortest ends of the ids among these texts that differ from each other; other texts stay as they are. */
export function shortIds(texts: readonly string[]): string[] {
  const ids = [...new Set(texts.filter(isWholeId))]
  const shown = new Map<string, string>()
  for (const id of ids) {
    let length = lengthOf(id)
    while (length < id.length && ids.some((other) => other !== id && other.endsWith(id.slice(-length)))) length++
    shown.set(id, id.slice(-length))
  }
  return texts.map((text) => shown.get(text) ?? text)
}
