import type { AgentFrame } from '#contract/frames'
import { type Form, formsOf, type SecretSearch, searchFor } from './secret-search.ts'

/** Replaces a secret in a text. */
export const mask = '[redacted]'

export interface Scrubber {
  /** A copy without the secrets, strings at any depth and the names of members included. */
  clean<T>(value: T): T
  /** The frames that may go out now: text that could be the beginning of a secret waits for what follows it. */
  pass(frame: AgentFrame): AgentFrame[]
  /** What still waits; of one speaker when named. */
  flush(speaker?: string): AgentFrame[]
  /** Adds secrets to look for. */
  learn(secrets: readonly string[], shortest?: number): void
}

type Spoken = Extract<AgentFrame, { type: 'text' | 'thinking' }>

const speakerOf = (frame: AgentFrame): string =>
  (frame.metadata as { parent_tool_use_id?: string } | undefined)?.parent_tool_use_id ?? ''

/** Finds secrets as they are, escaped for JSON or a URL, in hex and in base64, alone or inside a longer text. */
export function createScrubber(secrets: readonly string[], shortest?: number): Scrubber {
  const forms = new Map<string, Form>()
  let search: SecretSearch | null = null
  const waiting = new Map<string, Spoken>()

  const learn = (more: readonly string[], atLeast?: number) => {
    const before = forms.size
    for (const form of more.flatMap((secret) => formsOf(secret, atLeast))) forms.set(form.text, form)
    if (forms.size > before) search = searchFor([...forms.values()])
  }
  learn(secrets, shortest)

  const cleanText = (text: string): string => search?.replace(text, mask) ?? text
  /** The value itself when it holds no secret, as most do: nothing is copied before the first is found. */
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (typeof value !== 'object' || value === null) return value
    return Array.isArray(value) ? cleanList(value) : cleanObject(value as Record<string, unknown>)
  }
  const cleanList = (list: unknown[]): unknown[] => {
    let copy: unknown[] | null = null
    for (let at = 0; at < list.length; at++) {
      const member = clean(list[at])
      if (member !== list[at]) copy ??= list.slice()
      if (copy) copy[at] = member
    }
    return copy ?? list
  }
  const cleanObject = (object: Record<string, unknown>): object => {
    const names = Object.keys(object)
    let copy: [string, unknown][] | null = null
    for (let at = 0; at < names.length; at++) {
      const given = object[names[at]!]
      const name = cleanText(names[at]!)
      const member = clean(given)
      if (member !== given || name !== names[at]) copy ??= names.slice(0, at).map((before) => [before, object[before]])
      copy?.push([name, member])
    }
    return copy ? Object.fromEntries(copy) : object
  }
  const flush = (speaker?: string): AgentFrame[] => {
    if (waiting.size === 0) return []
    const frames = [...waiting.values()].filter((frame) => speaker === undefined || speakerOf(frame) === speaker)
    for (const frame of frames) waiting.delete(speakerOf(frame))
    return frames.map((frame) => ({ ...frame, content: cleanText(frame.content) }))
  }

  return {
    clean: (value) => (search ? (clean(value) as typeof value) : value),
    pass(frame) {
      if (!search) return [frame]
      if (frame.type === 'system') return [clean(frame) as AgentFrame]
      if (frame.type !== 'text' && frame.type !== 'thinking')
        return [...flush(speakerOf(frame)), clean(frame) as AgentFrame]
      const speaker = speakerOf(frame)
      const before = waiting.get(speaker)
      const out = before && before.type !== frame.type ? flush(speaker) : []
      const { done, rest } = search.advance((before?.type === frame.type ? before.content : '') + frame.content, mask)
      if (rest) waiting.set(speaker, { ...frame, content: rest })
      else waiting.delete(speaker)
      if (done) out.push(done === frame.content ? frame : { ...frame, content: done })
      return out
    },
    flush,
    learn,
  }
}
