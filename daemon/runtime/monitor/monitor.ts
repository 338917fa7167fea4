import type { AgentFrame } from '#contract/frames'
import type { App } from '#kernel/app'
import type { Recorded } from '#kernel/journal/journal'
import { agentById } from '../../features/agents/service.ts'
import { type CallVerdict, judgeCall, monitoring, type SeenCall } from '../../features/keeper/calls/service.ts'
import { capReason } from '../adapters/adapter.ts'
import { pause } from '../runs/waiting.ts'
import { Semaphore } from '../semaphore.ts'
import type { HeldCall, MonitoredRun, MonitorService } from '../service-types.ts'

/** Calls that are judged at the same time on the whole server. */
const atOnce = 4
/** Calls that wait for that, and calls of one run that are judged: a judge costs money. */
const bounds = { waiting: 64, ofRun: 1000 }
/** Calls of one run that were asked about and not reported: an agent could ask about ever more that it never makes. */
const mostUnseen = 16
/** Characters of a call's arguments that a judge is told, and of each call before it. */
const mostOfCall = 6000
const mostOfRecent = 300
const mostRecent = 10

const terminals = new Set(['run.completed', 'run.failed', 'run.cancelled', 'run.timeout'])

interface Call {
  tool: string
  /** Resolves with null where there is no verdict; does not reject. */
  verdict: Promise<CallVerdict | null>
  said: CallVerdict | null
  /** How many wait to be told whether it may be made. */
  waiting: number
  /** Its client was told not to make it. */
  stopped: boolean
  /** It is being made, or was: nobody can stop it any more. */
  made: boolean
  /** The client reported it. */
  seen: boolean
}

interface OfRun {
  calls: Map<string, Call>
  recent: string[]
  judged: number
}

export interface Monitor extends MonitorService {
  close(): void
}

interface Parts {
  app: App
  /** Ends a run as failed, for this reason. */
  stop(runId: string, reason: string): void
  /** Waits so long, or until the signal aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
  most?: { waiting: number; ofRun: number }
}

/**
 * Has the calls of tools judged that agents make. A call that its client asks about first is held until the verdict or
 * the end of its time; one that cannot be held any more ends its run. docs/keeper.md, "Calls of tools".
 */
export function createMonitor({ app, stop, wait = pause, most = bounds }: Parts): Monitor {
  const runs = new Map<string, OfRun>()
  const places = new Semaphore(atOnce)
  let waiting = 0

  const ofRun = (id: string): OfRun => {
    const known = runs.get(id) ?? { calls: new Map(), recent: [], judged: 0 }
    runs.set(id, known)
    return known
  }

  const unseenOf = (id: string): number => [...ofRun(id).calls.values()].filter(({ seen }) => !seen).length

  async function judge(call: SeenCall, budgetMs: number, count: number): Promise<CallVerdict | null> {
    const until = app.steady() + budgetMs
    const left = () => until - app.steady()
    // Told once: what follows is not judged, and not stored either.
    if (count > most.ofRun + 1) return null
    if (count > most.ofRun) return judgeCall(app, call, left, `Of one run ${most.ofRun} calls are judged; no more are`)
    if (waiting >= most.waiting) return judgeCall(app, call, left, `${most.waiting} calls wait to be judged already`)
    waiting++
    let counted = true
    try {
      return await places.run(() => {
        waiting--
        counted = false
        return judgeCall(app, call, left)
      })
    } finally {
      if (counted) waiting--
    }
  }

  /** The call as it is judged; null where nobody judges. */
  function begin(run: MonitoredRun, { call_id, tool_name, input }: HeldCall): Call | null {
    const how = monitoring(app, run.workspace_id, run.crew_id)
    if (!how) return null
    const of = ofRun(run.id)
    const known = of.calls.get(call_id)
    if (known) return known
    const { workspace_id, crew_id, agent_id, chat_id } = run
    const clean = app.scrub({ workspace_id, agent_id }, [])
    const text = JSON.stringify(clean(input)) ?? ''
    const seen: SeenCall = {
      workspace_id,
      crew_id,
      agent_id,
      agent_name: agentById(app, agent_id)?.name ?? '',
      run_id: run.id,
      chat_id,
      call_id,
      tool_name: tool_name.slice(0, 255),
      tool_args_snippet: text.slice(0, mostOfCall),
      recent_tool_calls: [...of.recent],
    }
    of.recent = [...of.recent, `${tool_name} ${text}`.slice(0, mostOfRecent)].slice(-mostRecent)
    const verdict = judge(seen, how.budgetMs, ++of.judged).catch((error: Error) => {
      app.log.error({ err: error, run: run.id }, 'A call of a tool could not be judged')
      return null
    })
    const call: Call = {
      tool: seen.tool_name,
      verdict,
      said: null,
      waiting: 0,
      stopped: false,
      made: false,
      seen: false,
    }
    of.calls.set(call_id, call)
    void verdict.then((it) => {
      call.said = it
      look(run, call)
    })
    return call
  }

  /** A call that should have been stopped and is made: what is left is to end its run. */
  function look(run: MonitoredRun, call: Call): void {
    if (!call.said?.blocks || call.stopped || call.waiting > 0 || !call.made) return
    call.stopped = true
    stop(run.id, capReason(`The call of ${call.tool} was judged harmful: ${call.said.reason}`))
  }

  const onEntry = ({ entry: { entry_type, trace_id } }: Recorded): void => {
    if (trace_id && terminals.has(entry_type)) runs.delete(trace_id)
  }
  app.bus.on('entry', onEntry)

  return {
    saw(run, holds, frame: AgentFrame) {
      if (frame.type === 'tool_call') {
        const { tool_id: call_id, tool_name, input } = frame.metadata
        const call = begin(run, { call_id, tool_name, input })
        if (!call) return
        call.seen = true
        call.made ||= !holds
        look(run, call)
      } else if (frame.type === 'tool_result') {
        const call = runs.get(run.id)?.calls.get(frame.metadata.tool_id)
        if (!call) return
        call.made = true
        look(run, call)
      }
    },
    async hold(run, held) {
      const how = monitoring(app, run.workspace_id, run.crew_id)
      if (how?.mode !== 'block') return null
      if (unseenOf(run.id) >= mostUnseen && !runs.get(run.id)?.calls.has(held.call_id)) return null
      const call = begin(run, held)
      if (!call || call.made) return null
      call.waiting++
      const over = new AbortController()
      const said = await Promise.race([call.verdict, wait(how.budgetMs, over.signal).then(() => null)])
      over.abort()
      call.waiting--
      if (said?.blocks) {
        call.stopped = true
        return said.reason
      }
      call.made = true
      return null
    },
    close() {
      app.bus.off('entry', onEntry)
      runs.clear()
    },
  }
}
