/** Line breaks in one spelling, and no other control characters. */
export const clean = (text: string): string => text.replaceAll('\r\n', '\n').replace(/(?!\n)\p{Cc}/gu, '')

/** The first `most` characters. */
export const capped = (text: string, most: number): string =>
  text.length <= most ? text : [...text].slice(0, most).join('')

export const countOf = (text: string): number => [...text].length
