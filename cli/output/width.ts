import measure from 'fast-string-truncated-width'

const ascii = /^[\u0020-\u007e]*$/

/** Columns that a text takes on a terminal. */
export const widthOf = (text: string): number => (ascii.test(text) ? text.length : measure(text).width)

/** The text in at most `limit` columns, with an ellipsis where it was cut. */
export function shorten(text: string, limit: number): string {
  if (widthOf(text) <= limit) return text
  return `${text.slice(0, cutOf(text, limit))}…`
}

/** As `shorten`, but cut between words. */
export function shortenWords(text: string, limit: number): string {
  if (widthOf(text) <= limit) return text
  const cut = cutOf(text, limit)
  return `${text.slice(0, Math.max(0, text[cut] === ' ' ? cut : text.lastIndexOf(' ', cut))).trimEnd()}…`
}

/** As `shortenWords`, but within a word where words take less than half of the room: some scripts have no spaces. */
export function shortenProse(text: string, limit: number): string {
  const words = shortenWords(text, limit)
  return words !== text && widthOf(words) * 2 < limit ? shorten(text, limit) : words
}

const cutOf = (text: string, limit: number): number =>
  ascii.test(text) ? limit - 1 : measure(text, { limit: limit - 1 }).index

/** The text filled up with spaces to `width` columns. */
export const pad = (text: string, width: number, right = false): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return right ? space + text : text + space
}
