/** A longer text is cut, never within a character, and says so. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\ud800-\udbff]/.test(text[limit - mark.length - 1]!) ? limit - mark.length - 1 : limit - mark.length
  return text.slice(0, end) + mark
}

/** As `cut`, for a limit in bytes. */
export function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  let end = Math.max(0, limit - mark.length)
  // Back to the first byte of a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString() + mark
}

const mark = '\n(cut here)'
