/** A text of others on one line, cut, without characters that could deceive. */
export const plainLine = (text: string, most = 200): string =>
  [...text.replace(/[\p{C}\s]+/gu, ' ').trim()].slice(0, most).join('')
