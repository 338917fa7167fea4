/** A piece of a text around the words that were searched for. */
export interface Excerpt {
  before: string
  words: string
  after: string
}

/** Characters shown before and after the words. */
const around = 70

const foldOne = (sign: string) => sign.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Each folded character with the place of its sign in the text. */
function folded(text: string): { plain: string; places: number[] } {
  let plain = ''
  const places: number[] = []
  let at = 0
  for (const sign of text) {
    const fold = foldOne(sign)
    plain += fold
    for (let i = 0; i < fold.length; i++) places.push(at)
    at += sign.length
  }
  return { plain, places: [...places, text.length] }
}

/** The first place where the words stand in the text, without regard to case, accents and what is between words. */
export function excerptOf(text: string, phrase: string): Excerpt | null {
  const words = folded(phrase).plain.match(/[\p{L}\p{N}]+/gu)
  if (!words) return null
  const { plain, places } = folded(text)
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${words.join('[^\\p{L}\\p{N}]+')}(?![\\p{L}\\p{N}])`, 'u').exec(plain)
  const loose = found ?? new RegExp(words.join('[^\\p{L}\\p{N}]*'), 'u').exec(plain)
  if (!loose) return null
  const [from, to] = [places[loose.index]!, places[loose.index + loose[0].length]!]
  return { before: tail(text.slice(0, from)), words: oneLine(text.slice(from, to)), after: head(text.slice(to)) }
}

/** The beginning of a text in which the words stand nowhere. */
export const beginning = (text: string): string => head(text)

const oneLine = (text: string) => text.replace(/\s+/g, ' ')

function head(text: string): string {
  const signs = [...oneLine(text.slice(0, 10 * around))]
  return signs.length > around ? `${signs.slice(0, around).join('')}...` : signs.join('')
}

function tail(text: string): string {
  const signs = [...oneLine(text.slice(-10 * around))]
  return signs.length > around ? `...${signs.slice(-around).join('')}` : signs.join('')
}
