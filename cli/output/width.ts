import measure from 'fast-string-truncated-width'

const ascii = /^[\u0020-\u007e]*$/

/** Columns that a text takes on a terminal. */
export const widthOf = (text: string): number => (ascii.test(text) ? text.length : measure(text).width)

/** The text in at most `limit` columns, with an ellipsis where it was cut. */
export function shorten(text: string, limit: number): string {
  if (widthOf(text) <= limit) return text
  if (ascii.test(text)) return `${text.slice(0, limit - 1)}…`
  const { index } = measure(text, { limit: limit - 1 })
  return `${text.slice(0, index)}…`
}

/** The text filled up with spaces to `width` columns. */
export const pad = (text: string, width: number, right = false): string => {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return right ? space + text : text + space
}
