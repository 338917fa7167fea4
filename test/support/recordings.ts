import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { AgentFrame } from '#contract/frames'
import type { Adapter } from '../../daemon/runtime/adapters/adapter.ts'
import { createParser } from '../../daemon/runtime/adapters/parser.ts'
import { judge } from '../../daemon/runtime/adapters/verdict.ts'
import type { RunEnd } from '../../daemon/runtime/types.ts'

const folder = new URL('../fixtures/streams/', import.meta.url)

/** A recorded output of a client; empty when there is none of that name. */
export const recording = (name: string): Buffer =>
  existsSync(new URL(name, folder)) ? readFileSync(new URL(name, folder)) : Buffer.alloc(0)

export const exit = (code: number): RunEnd => ({ kind: 'exit', code, timedOut: false })

/** One line for a frame: what it is and what it says. */
function brief({ type, metadata, ...frame }: AgentFrame): string {
  const content = 'content' in frame ? frame.content : ''
  const told = metadata as
    | { subtype?: string; is_error?: boolean; exit_code?: number; mcp_server?: string; subagent?: boolean }
    | undefined
  const marks = [
    told?.subtype,
    told?.is_error && 'error',
    told?.exit_code,
    told?.mcp_server,
    told?.subagent && 'subagent',
  ]
  return [type, ...marks, content].filter(Boolean).join(' ')
}

/** What a recording must be read as. */
export interface Expected {
  end: RunEnd
  frames: string[]
  verdict: { status: string; kind?: string | null; reason?: string | RegExp; metadata?: object }
  abort?: string
  mcpServers?: string[]
}

/** Reads every recording of a client, whose names begin with this word, and compares what comes out. */
export function readsRecordings(word: string, adapter: Adapter, recordings: Record<string, Expected>): void {
  it('are all in the table', () => {
    const recorded = readdirSync(folder).filter((name) => name.startsWith(word))
    expect([...new Set(recorded.map((name) => name.replace(/\.(jsonl|err)$/, '')))].sort()).toEqual(
      Object.keys(recordings).sort(),
    )
  })

  it.each(Object.entries(recordings))('%s', (name, { end, frames, verdict, abort, mcpServers = [] }) => {
    const parser = createParser(adapter.reader({ mcpServers, model: null, used: null }))
    const seen = [...parser.feed(recording(`${name}.jsonl`)), ...parser.flush()]
    expect(seen.map(brief)).toEqual(frames)
    expect(parser.emitted).toBe(frames.length)
    expect(parser.abort?.kind).toBe(abort)
    const stderr = recording(`${name}.err`).toString()
    const judged = judge(parser, { end, stderr, cancelled: false }, adapter.stderrFailure)
    const { reason, metadata = {}, ...rest } = verdict
    expect(judged).toMatchObject(rest)
    expect(judged.metadata).toMatchObject(metadata)
    if (reason instanceof RegExp) expect(judged.reason).toMatch(reason)
    else if (reason) expect(judged.reason).toBe(reason)
  })
}
