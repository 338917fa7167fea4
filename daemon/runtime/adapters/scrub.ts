import type { AgentFrame } from '#contract/frames'

/** Stands where a secret stood. */
export const mask = '[redacted]'

/** Anything shorter is a word, not a secret. */
const shortest = 8

export interface Scrubber {
  /** A copy without the secrets, strings at any depth and the names of members included. */
  clean<T>(value: T): T
  /** The frames that may go out now: text that could be the beginning of a secret waits for what follows it. */
  pass(frame: AgentFrame): AgentFrame[]
  /** What still waits; of one speaker when named. */
  flush(speaker?: string): AgentFrame[]
}

type Spoken = Extract<AgentFrame, { type: 'text' | 'thinking' }>

const speakerOf = (frame: AgentFrame): string => (frame.metadata as { parent_tool_use_id?: string } | undefined)?.parent_tool_use_id ?? ''

/** Finds secrets as they are, escaped for JSON or a URL, in hex and in base64, alone or inside a longer text. */
export function createScrubber(secrets: readonly string[]): Scrubber {
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  const pattern = forms.length > 0 ? new RegExp(forms.map(patternOf).join('|'), 'g') : null
  const longest = forms[0]?.length ?? 0
  const waiting = new Map<string, Spoken>()

  const cleanText = (text: string) => (pattern ? text.replace(pattern, mask) : text)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), clean(member)]))
  }

  /** Where the text has to be cut so that no secret that is still arriving goes out. */
  const safeEnd = (text: string): number => {
    const matches = pattern ? [...text.matchAll(pattern)] : []
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
      const rest = text.slice(at)
      if (!forms.some((form) => form.length > rest.length && form.startsWith(rest))) continue
      if (!matches.some((match) => match.index < at && at < match.index + match[0].length)) return at
    }
    return text.length
  }

  const take = (frames: Spoken[]): AgentFrame[] => {
    for (const frame of frames) waiting.delete(speakerOf(frame))
    return frames.map((frame) => ({ ...frame, content: cleanText(frame.content) }))
  }
  const flush = (speaker?: string) => take([...waiting.values()].filter((frame) => speaker === undefined || speakerOf(frame) === speaker))

  return {
    clean: (value) => (pattern ? (clean(value) as typeof value) : value),
    pass(frame) {
      if (!pattern) return [frame]
      if (frame.type === 'system') return [clean(frame) as AgentFrame]
      if (frame.type !== 'text' && frame.type !== 'thinking') return [...flush(speakerOf(frame)), clean(frame) as AgentFrame]
      const speaker = speakerOf(frame)
      const before = waiting.get(speaker)
      const out = before && before.type !== frame.type ? flush(speaker) : []
      const text = (before?.type === frame.type ? before.content : '') + frame.content
      const end = safeEnd(text)
      waiting.delete(speaker)
      if (end < text.length) waiting.set(speaker, { ...frame, content: text.slice(end) })
      if (end > 0) out.push({ ...frame, content: cleanText(text.slice(0, end)) })
      return out
    },
    flush,
  }
}

function formsOf(secret: string): string[] {
  const whole = secret.trim()
  const lines = whole.split(/\r?\n/).map((line) => line.trim())
  const parts = [whole, ...(lines.length > 1 ? lines.filter((line) => line.length >= 2 * shortest) : [])]
  return parts.filter((part) => part.length >= shortest).flatMap(encodings)
}

function encodings(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const twice = JSON.stringify(escaped).slice(1, -1)
  return [secret, escaped, twice, encodeURIComponent(secret), hex, hex.toUpperCase(), ...base64Forms(bytes)]
}

/** The characters that a secret leaves in base64 whatever stands around it, for each of the three ways it can be aligned. */
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

const escapeChar = (char: string) => char.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')

/** Long runs of base64 and hex are often broken into lines. */
function patternOf(form: string): string {
  const characters = [...form].map(escapeChar)
  return /^[\w+/-]+$/.test(form) ? characters.join('(?:\\r?\\n)?') : characters.join('')
}
