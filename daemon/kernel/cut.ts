/** A longer text is cut, never within a character, and says so. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\ud800-\udbff]/.test(text[limit - mark.length - 1]!) ? limit - mark.length - 1 : limit - mark.length
  return text.slice(0, end) + mark
}

/** As `cut`, for a limit in bytes. */
export const cutBytes = (text: string, limit: number): string =>
  Buffer.byteLength(text) <= limit ? text : firstBytes(text, Math.max(0, limit - mark.length)) + mark

/** The beginning of a text in at most so many bytes, never ending within a character. */
export function firstBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  let end = Math.min(limit, bytes.length)
  // Back to the first byte of a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.subarray(0, end).toString()
}

const mark = '\n(cut here)'
