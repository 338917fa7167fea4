/** Scripts that are written without spaces, or whose words are searched for by their parts. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/**
 * A text as the index takes it: each character of those scripts is a word, so that a phrase finds any part of a text.
 */
export const searchable = (text: string): string =>
  /[\u1100-\uffff]/.test(text) ? text.replace(unspaced, ' $& ') : text

/** Whether there is a word at all to search for. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}\p{Co}]/u.test(text)

/** Quotes a phrase, so that operators in it have no meaning. */
const quote = (phrase: string): string => `"${phrase.replaceAll('\0', ' ').replaceAll('"', '""')}"`

/** The full-text expression: one phrase in what belongs to any of these ids, or in all messages when there are none. */
export function matchText(phrase: string, scope: readonly string[]): string {
  const words = `{content tool_summary} : ${quote(searchable(phrase))}`
  return scope.length > 0 ? `(${words}) AND (scope : (${scope.map(quote).join(' OR ')}))` : words
}

const folded = (text: string): string => {
  const lower = text.toLowerCase()
  return /^[\x00-\x7f]*$/.test(lower) ? lower : lower.normalize('NFD').replace(/\p{M}/gu, '')
}

/** Characters of a message in which occurrences are counted. */
const countedIn = 65_536

const wordSign = /[\p{L}\p{N}\p{Co}]/u

/** Whether a word has a sign at this place. */
function isWord(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  const code = text.codePointAt(unit >= 0xdc00 && unit < 0xe000 && at > 0 ? at - 1 : at)
  if (code === undefined) return false
  if (code > 127) return wordSign.test(String.fromCodePoint(code))
  return (code > 96 && code < 123) || (code > 47 && code < 58) || (code > 64 && code < 91)
}

/** Where a phrase ends that begins here; -1 when another text stands here. */
function endOf(words: readonly string[], text: string, start: number): number {
  if (start > 0 && isWord(text, start - 1)) return -1
  let at = start
  for (const word of words) {
    while (at > start && at < text.length && !isWord(text, at)) at++
    if (!text.startsWith(word, at)) return -1
    at += word.length
    if (isWord(text, at)) return -1
  }
  return at
}

/** Counts how often a phrase occurs in a text. Without a pattern of its own, which takes longer than to count. */
export function counterOf(phrase: string): (text: string) => number {
  const words = folded(searchable(phrase)).match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []
  return (text) => {
    if (words.length === 0) return 0
    const plain = folded(searchable(text.slice(0, countedIn)))
    let count = 0
    for (let at = plain.indexOf(words[0]!); at >= 0; at = plain.indexOf(words[0]!, at)) {
      const end = endOf(words, plain, at)
      if (end >= 0) count++
      at = end >= 0 ? end : at + 1
    }
    return count
  }
}
