import type { AgentFrame } from '#contract/frames'
import { capReason, type Facts, type Failure, type Parser } from './adapter.ts'
import { type Json, parseObject, string } from './json.ts'
import { lineLimit, lineSplitter } from './lines.ts'
import { hideOffers, mayOffer, offersIn } from './offers.ts'
import { createScrubber } from './scrub.ts'
import { shortestOffered } from './secret-search.ts'

/** What an adapter's reader may do with a line. */
export interface Reading {
  facts: Facts
  frame(frame: AgentFrame): void
  /** The speaker's block of text is complete; `speaker` is the id of the call that a sub-agent works for. */
  endOfText(speaker: string): void
  /** The model begins to answer, at first or after results of its tools. */
  turn(): void
  /** Asks for the run to be ended. The first reason stays. */
  abort(failure: Failure): void
}

type ToolCallFrame = Extract<AgentFrame, { type: 'tool_call' }>

/** Reads one line of a client's protocol. Holds the state of one run. */
export type LineReader = (line: Json, reading: Reading) => void

const repeatLimit = 5

const noFacts = (): Facts => ({
  init: null,
  session_id: null,
  usage: { input_tokens: 0, output_tokens: 0 },
  total_cost_usd: null,
  duration_ms: null,
  num_turns: null,
  result_text: null,
  permission_denials: [],
  left_out: null,
  produced: false,
  finished: false,
  failure: null,
  complaint: null,
})

/**
 * `read` knows one client's lines; `secrets` are cut out of all that it makes of them, in whatever encoding. A run that
 * takes more than `mostTurns` is to be ended.
 */
export function createParser(
  read: LineReader,
  secrets: readonly string[] = [],
  { limit = lineLimit, mostTurns = Number.POSITIVE_INFINITY } = {},
): Parser {
  const facts = noFacts()
  const scrubber = createScrubber(secrets)
  const repeats = repeatWatch()
  let out: AgentFrame[] = []
  let abort: Failure | null = null
  let emitted = 0
  let turns = 0

  const reading: Reading = {
    facts,
    frame(frame) {
      if (frame.type === 'text' || frame.type === 'tool_call') facts.produced = true
      if (frame.type === 'error') facts.failure ??= { kind: 'internal', reason: frame.content }
      if (frame.type === 'tool_call' && repeats(frame)) {
        reading.abort({
          kind: 'tool_loop',
          reason: `The agent called ${frame.content} ${repeatLimit} times in a row with the same input`,
        })
      }
      out.push(...scrubber.pass(frame.type === 'tool_call' ? withoutOffers(frame) : frame))
    },
    endOfText: (speaker) => out.push(...scrubber.flush(speaker)),
    turn() {
      if (++turns > mostTurns) reading.abort({ kind: 'turn_cap', reason: `a run may take ${mostTurns}` })
    },
    abort(failure) {
      abort ??= failure
    },
  }
  /** What is offered in a call is a secret from here on. */
  function withoutOffers(call: ToolCallFrame): ToolCallFrame {
    const { shown, offered } = hideOffers(call.metadata.input)
    if (shown === call.metadata.input) return call
    scrubber.learn(offered, shortestOffered)
    return { ...call, metadata: { ...call.metadata, input: shown } }
  }
  const lines = lineSplitter(
    {
      line(text, cut) {
        const line = parseObject(text)
        if (line && string(line['type'])) {
          if (mayOffer(text)) scrubber.learn(offersIn(line), shortestOffered)
          return read(line, reading)
        }
        // A protocol line that the end of the process cut short is not something the agent said.
        if (!(cut && text.trimStart().startsWith('{'))) reading.frame({ type: 'text', content: `${text}\n` })
      },
      tooLong(bytes) {
        facts.left_out = { lines: (facts.left_out?.lines ?? 0) + 1, bytes: (facts.left_out?.bytes ?? 0) + bytes }
        reading.frame({
          type: 'system',
          content: `A line of ${bytes} bytes was left out`,
          metadata: { subtype: 'line_too_long', bytes },
        })
      },
    },
    limit,
  )
  const taken = () => {
    const frames = out
    out = []
    emitted += frames.length
    return frames
  }

  return {
    feed(chunk) {
      lines.feed(chunk)
      return taken()
    },
    flush() {
      lines.flush()
      out.push(...scrubber.flush())
      return taken()
    },
    get facts() {
      const clean = scrubber.clean(facts)
      return { ...clean, failure: tidy(clean.failure), complaint: tidy(clean.complaint) }
    },
    get abort() {
      return tidy(scrubber.clean(abort))
    },
    get emitted() {
      return emitted
    },
    learn: (more) => scrubber.learn(more),
    clean: scrubber.clean,
  }
}

const tidy = (failure: Failure | null): Failure | null => failure && { ...failure, reason: capReason(failure.reason) }

/** True at the fifth identical call in a row, counted for each speaker. */
function repeatWatch(): (frame: ToolCallFrame) => boolean {
  const last = new Map<string, { call: string; count: number }>()
  return ({ metadata }) => {
    const speaker = metadata.parent_tool_use_id ?? ''
    const call = JSON.stringify([metadata.tool_name, metadata.input])
    const before = last.get(speaker)
    const count = before?.call === call ? before.count + 1 : 1
    last.set(speaker, { call, count })
    return count >= repeatLimit
  }
}
