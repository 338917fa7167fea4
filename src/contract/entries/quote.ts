const quoteLimit = 120

/** What ends a line, in any writing. */
const lineEnds = /[\n\r\v\f\u0085\u2028\u2029]+/

/** What is, or looks like, a double quotation mark: also two single ones side by side. */
const double = String.raw`["\u02ba\u02dd\u02ee\u02f6\u05f2\u05f4\u201c-\u201f\u2033\u2034\u2036\u2037\u2057]`
const ornate = String.raw`[\u275d\u275e\u3003\u301d-\u301f\uff02\u{1f676}-\u{1f678}]`
const twoSingle = String.raw`(?:['\u2018-\u201b\u2032\u2035\u02b9\u02bc\uff07]\p{Cf}*){2,}`
const doubles = new RegExp(`${double}|${ornate}|${twoSingle}`, 'gu')

/**
 * A text as a sentence cites it: its first line in quotation marks, at most 120 characters. Quotation marks within are
 * single ones, so that no text can end the quotation.
 */
export function quoted(text: string): string {
  const [first = '', ...more] = text.trim().split(lineEnds)
  const characters = [...first.replace(doubles, "'")]
  const cut = characters.length > quoteLimit || more.some((line) => line.trim() !== '')
  return `"${cut ? `${characters.slice(0, quoteLimit).join('').trimEnd()}…` : characters.join('')}"`
}

/** A word that ends no sentence: of letters and figures, or an initial. */
const word = String.raw`(?:\p{Lu}\.|[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._'’-]*[\p{L}\p{M}\p{N}])?)`
const plainName = new RegExp(`^${word}(?: ${word}){0,3}$`, 'u')
/** The same of ASCII alone, as most names are: without the cost of Unicode properties. */
const asciiWord = "(?:[A-Z]\\.|[A-Za-z0-9](?:[A-Za-z0-9._'-]*[A-Za-z0-9])?)"
const asciiName = new RegExp(`^${asciiWord}(?: ${asciiWord}){0,3}$`)
const isPlain = (name: string): boolean => asciiName.test(name) || plainName.test(name)

/** A name as a sentence cites it: quoted when it could be read as part of the sentence, or as Muster itself. */
export const named = (name: string): string => (isPlain(name) && !/^muster$/i.test(name) ? name : quoted(name))
