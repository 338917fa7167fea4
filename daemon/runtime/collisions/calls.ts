import type { AgentFrame } from '#contract/frames'
import { writtenPaths } from './written-paths.ts'

/** A tool call of a run, by when the daemon read of it. */
interface Call {
  runId: string
  tool: string
  paths: string[]
  from: number
  /** Null while it goes on. */
  until: number | null
}

/** How much later than a write its call may be read of, or than its call's end the write. */
const slackMs = 1500
/** Calls that are kept, the newest. */
const mostCalls = 2000

export interface Calls {
  saw(runId: string, folder: string, frame: AgentFrame, at: number): void
  /** The runs with a call about that time that names the file as one that it writes. */
  naming(path: string, at: number): string[]
  /** The runs with a call of whatever kind that went on at that time. */
  going(at: number): string[]
  /** Ends what a run left open, and lets go of what is too old to matter. */
  ended(runId: string, at: number): void
}

/** The tool calls of runs that a write may belong to. */
export function createCalls(): Calls {
  let calls: Call[] = []

  const end = (ended: (call: Call) => boolean, at: number) => {
    for (const call of calls) if (call.until === null && ended(call)) call.until = at
  }
  const runsOf = (holds: (call: Call) => boolean) => [...new Set(calls.filter(holds).map(({ runId }) => runId))]

  function prune(at: number): void {
    const kept = calls.filter(({ until }) => until === null || until >= at - 2 * slackMs)
    calls = kept.slice(-mostCalls)
  }

  return {
    saw(runId, folder, frame, at) {
      if (frame.type === 'tool_call') {
        const { tool_id, tool_name, input } = frame.metadata
        prune(at)
        const paths = writtenPaths(tool_name, input, folder)
        calls.push({ runId, tool: tool_id, paths, from: at, until: null })
      } else if (frame.type === 'tool_result') {
        const { tool_id } = frame.metadata
        end((call) => call.runId === runId && call.tool === tool_id, at)
      }
    },
    naming: (path, at) =>
      runsOf(
        ({ paths, from, until }) =>
          paths.includes(path) && from <= at + slackMs && (until === null || until >= at - slackMs),
      ),
    going: (at) => runsOf(({ from, until }) => from <= at && (until === null || until >= at - slackMs)),
    ended(runId, at) {
      end((call) => call.runId === runId, at)
      prune(at)
    },
  }
}
