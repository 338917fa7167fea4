/** A piece of a stored message. docs/rules/chats.md, "Chats and messages". */
export interface Part {
  type: 'text' | 'thinking' | 'tool_call' | 'tool_result' | 'image' | 'error'
  content?: string
  tool_name?: string
  tool_id?: string
  metadata?: Record<string, unknown>
}

export interface KeptParts {
  /** A part of its own; `weight` is what it takes beside its text. */
  put(part: Part, text: string, weight?: number): void
  /** Text that belongs to the part before it, if that was said by the same speaker in the same way. */
  say(part: Part, text: string): void
  /** What is kept, with a mark where something was left out. To be called once. */
  finish(): Part[]
}

interface Sized {
  part: Part
  /** Joined once, in the end: to append to a long string for every word is slow. */
  pieces: string[]
  size: number
  grows: boolean
}

const sum = (list: readonly Sized[]) => list.reduce((total, { size }) => total + size, 0)

/** Keeps the beginning and the end of what takes more than `limit` characters in all. */
export function keepParts(limit: number): KeptParts {
  const head: Sized[] = []
  let tail: Sized[] = []
  let [headSize, tailSize, leftOut] = [0, 0, 0]

  function add(it: Sized): void {
    const inHead = tail.length === 0 && headSize + it.size <= limit / 2
    if (inHead) headSize += it.size
    else tailSize += it.size
    ;(inHead ? head : tail).push(it)
    // Now and then only, so that long output is not moved for every word.
    if (tailSize > 2 * limit) trim()
  }

  function trim(): void {
    let over = headSize + sum(tail) - limit
    let from = 0
    while (over > 0 && from < tail.length) {
      const first = tail[from]!
      const cut = first.grows ? Math.min(over, first.size) : first.size
      if (cut < first.size) shorten(first, cut)
      else from++
      over -= cut
      leftOut += cut
    }
    tail = tail.slice(from)
    tailSize = sum(tail)
  }

  return {
    put: (part, text, weight = 0) => add({ part, pieces: [text], size: text.length + weight, grows: false }),
    say(part, text) {
      const last = tail.at(-1) ?? head.at(-1)
      if (!last || !goesOn(last, part)) return sayFrom(part, text)
      if (tail.length > 0) {
        last.pieces.push(text)
        last.size += text.length
        tailSize += text.length
        if (tailSize > 2 * limit) trim()
        return
      }
      const fits = beginning(text, limit / 2 - headSize)
      last.pieces.push(fits)
      last.size += fits.length
      headSize += fits.length
      if (fits.length < text.length) sayFrom({ ...part }, text.slice(fits.length))
    },
    finish() {
      trim()
      const [last, next] = [head.at(-1), tail[0]]
      if (leftOut === 0 && last && next && goesOn(last, next.part))
        last.pieces = last.pieces.concat(tail.shift()!.pieces)
      for (const { part, pieces } of [...head, ...tail]) part.content = pieces.join('')
      const gap: Part = {
        type: 'text',
        content: `[${leftOut} characters were left out here]`,
        metadata: { truncated: true, left_out_chars: leftOut },
      }
      return [...head.map(({ part }) => part), ...(leftOut > 0 ? [gap] : []), ...tail.map(({ part }) => part)]
    },
  }

  function sayFrom(part: Part, text: string): void {
    const fits = tail.length > 0 ? text : beginning(text, Math.max(limit / 2 - headSize, 0))
    if (fits) add({ part, pieces: [fits], size: fits.length, grows: true })
    const rest = text.slice(fits.length)
    if (rest) add({ part: { ...part }, pieces: [rest], size: rest.length, grows: true })
  }
}

const goesOn = (last: Sized, part: Part): boolean =>
  last.grows && last.part.type === part.type && speakerOf(last.part) === speakerOf(part)
const speakerOf = ({ metadata }: Part) => metadata?.['parent_tool_use_id']

/** Takes that many characters away from the front. */
function shorten(it: Sized, cut: number): void {
  it.pieces = [ending(it.pieces.join(''), it.size - cut)]
  it.size = it.pieces[0]!.length
}

/** The first characters of a text, and its last ones; no pair of surrogates is torn apart. */
export const beginning = (text: string, most: number): string =>
  text.slice(0, most).replace(/[\uD800-\uDBFF]$/, (half) => (most < text.length ? '' : half))
export const ending = (text: string, most: number): string =>
  most <= 0 ? '' : text.slice(-most).replace(/^[\uDC00-\uDFFF]/, (half) => (most < text.length ? '' : half))
