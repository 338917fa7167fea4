// Ids begin with the time, which things made together share; what follows is random. So the end tells them apart.
const row = /^(?:(?:[a-z]+_)+|)c[0-9a-z]{24}(?:_c[0-9a-z]{24})?$/
const others = /^s_[0-9a-f]{64}$|^j_[0-9a-f]{16}$|^(?:[a-z]+_)*mp_\d{14}-[0-9a-f]{16}$/

/** Whether this is an id in full, which needs no looking up. */
export const isWholeId = (text: string): boolean => row.test(text) || others.test(text)

// Entries of the journal are many, and half of their end is counted up.
const lengthOf = (id: string) => (id.startsWith('j_') ? 12 : 8)

/** An id as its end tells it apart: that of a reply names its chat, and then its reader, who is the same in all. */
export const telling = (id: string): string => id.replace(/(_c[0-9a-z]{24})_c[0-9a-z]{24}$/, '$1')

/** The shortest ends of the ids among these texts that differ from each other; other texts stay as they are. */
export function shortIds(texts: readonly string[]): string[] {
  const ids = [...new Set(texts.filter(isWholeId))]
  const shown = new Map(ids.map((id) => [id, shortest(id, ids)]))
  return texts.map((text) => shown.get(text) ?? text)
}

function shortest(id: string, ids: readonly string[]): string {
  const end = telling(id)
  const others = ids.filter((other) => other !== id).map(telling)
  if (others.includes(end)) return id
  let length = lengthOf(id)
  while (length < end.length && others.some((other) => other.endsWith(end.slice(-length)))) length++
  return end.slice(-length)
}
