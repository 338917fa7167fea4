/** Anything shorter is a word, not a secret, unless somebody says that it is one. */
const shortestKnown = 8
/** What an agent calls a secret is one, however short; less than this is found in every text. */
export const shortestOffered = 4

/** One way a secret can be written. */
export interface Form {
  text: string
  /** Base64 and hex are often broken into lines. */
  wraps: boolean
}

export interface SecretSearch {
  replace(text: string, mask: string): string
  /** For text that goes on: what is certain, and the end of it that could still become a secret. */
  advance(text: string, mask: string): { done: string; rest: string }
}

/** Looks for all of these at once. */
export function searchFor(forms: readonly Form[]): SecretSearch {
  const { pairs, byFirst } = startTable(forms)
  const shortest = Math.min(...forms.map(({ text }) => text.length))

  /** The first place from `at` on where a form could begin, or the length of the text. */
  const nextByChar = (text: string, at: number): number => {
    let next = text.charCodeAt(at) & 127
    for (; at < text.length; at++) {
      const first = next
      next = text.charCodeAt(at + 1) & 127
      if (pairs[(first << 7) | next] !== 0) return at
    }
    return at
  }
  const nextByByte = ({ length }: string, at: number): number => {
    for (; at < length; at++) if (pairs[((bytes[at]! & 127) << 7) | (bytes[at + 1]! & 127)] !== 0) return at
    return at
  }

  const scan = (text: string, mask: string, goesOn: boolean): { done: string; rest: string } => {
    const next = fillBytes(text) ? nextByByte : nextByChar
    let done = ''
    let from = 0
    for (let at = next(text, 0); at < text.length; ) {
      let end = -1
      for (const form of byFirst.get(text.charCodeAt(at)) ?? none) {
        const found = compare(form, text, at)
        if (found === cutShort && goesOn) return { done: done + text.slice(from, at), rest: text.slice(at) }
        if (found > end) end = found
      }
      if (end >= 0) {
        done += text.slice(from, at) + mask
        from = end
      }
      at = next(text, end < 0 ? at + 1 : end)
    }
    return { done: from === 0 ? text : done + text.slice(from), rest: '' }
  }
  return {
    replace: (text, mask) => (text.length < shortest ? text : scan(text, mask, false).done),
    advance: (text, mask) => scan(text, mask, true),
  }
}

const none: readonly Form[] = []

/** The low bytes of a text, which are read quicker than its characters once there are some of them. */
const bytes = Buffer.alloc(1 << 16)
const shortText = 48

function fillBytes(text: string): boolean {
  if (text.length < shortText || text.length >= bytes.length) return false
  bytes.write(text, 'latin1')
  // The end of the text reads as 0.
  bytes[text.length] = 0
  return true
}

/** The text ends before the form does. */
const cutShort = -1
const different = -2

/** Where the form ends in the text, if it stands at `at`. */
function compare({ text: form, wraps }: Form, text: string, at: number): number {
  let place = at
  for (let n = 0; n < form.length; n++, place++) {
    if (wraps && n > 0) place = afterBreak(text, place)
    if (place >= text.length) return cutShort
    if (text.charCodeAt(place) !== form.charCodeAt(n)) return different
  }
  return place
}

/** The place behind a line break, if there is one. */
function afterBreak(text: string, place: number): number {
  const next = text.charCodeAt(place) === 13 ? place + 1 : place
  return text.charCodeAt(next) === 10 ? next + 1 : next
}

interface StartTable {
  /** Not 0 where a form could begin with two characters, by the low seven bits of each. */
  pairs: Uint8Array
  byFirst: Map<number, Form[]>
}

/** Finds forms by their first two characters; quick where none could stand. */
function startTable(forms: readonly Form[]): StartTable {
  const pairs = new Uint8Array(1 << 14)
  const byFirst = new Map<number, Form[]>()
  for (const form of forms) {
    const first = form.text.charCodeAt(0)
    // Behind the first character there may be a line break, or the end of the text, which reads as 0.
    for (const second of [form.text.charCodeAt(1), 10, 13, 0]) pairs[((first & 127) << 7) | (second & 127)] = 1
    byFirst.set(first, [...(byFirst.get(first) ?? []), form])
  }
  return { pairs, byFirst }
}

/** The ways in which a secret can be written; none of one that is too short. */
export function formsOf(secret: string, shortest = shortestKnown): Form[] {
  const whole = secret.trim()
  const lines = whole.split(/\r?\n/).map((line) => line.trim())
  const parts = [whole, ...(lines.length > 1 ? lines.filter((line) => line.length >= 2 * shortestKnown) : [])]
  return parts.filter((part) => part.length >= shortest).flatMap(encodings)
}

function encodings(secret: string): Form[] {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const plain = [secret, escaped, JSON.stringify(escaped).slice(1, -1), encodeURIComponent(secret)]
  const coded = [hex, hex.toUpperCase(), ...base64Forms(bytes)]
  return [...plain.map((text) => ({ text, wraps: false })), ...coded.map((text) => ({ text, wraps: true }))]
}

/**
 * The characters that a secret leaves in base64 whatever stands around it, for each of the three ways it can be
 * aligned.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const certain = (shift + bytes.length) % 3 === 0 ? text.length : text.length - 1
    const form = text.slice(shift === 0 ? 0 : shift + 1, certain)
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
