/** A longer text is cut, never within a character, and says so. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\ud800-\udbff]/.test(text[limit - mark.length - 1]!) ? limit - mark.length - 1 : limit - mark.length
  return text.slice(0, end) + mark
}

const mark = '\n(cut here)'
