/** What ends a line, in any writing. */
const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/u
/** Characters that are not seen, but for tabs and those that join letters and pictures. */
const unseen = /(?![\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu

/** The lines of a text without what is not seen. */
export const visibleLines = (text: string): string[] =>
  text
    .trim()
    .split(lineEnds)
    .map((line) => line.replace(unseen, '').trimEnd())

/** Each line behind a mark, so that no line of a text reads as one of the page on which it stands. */
export const quotedLines = (text: string): string =>
  visibleLines(text)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
