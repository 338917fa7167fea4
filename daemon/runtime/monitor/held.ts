import type { App } from '#kernel/app'
import { isObject } from '#kernel/http/json-bounds'
import { problem } from '#kernel/problem'
import { findRun } from '../../features/runs/service.ts'
import type { LaunchFacts } from '../runs/parts.ts'
import type { SidecarAnswer } from '../types.ts'

/** Answers a client that asks before a call: once it is judged, or its time is over. */
export async function answerHeld(app: App, runId: string | null, body: unknown): Promise<SidecarAnswer> {
  const run = runId === null ? undefined : findRun(app, runId)
  if (!run?.launch_json) throw problem('not_found', { detail: 'No run of this agent is at work' })
  if (!isObject(body)) throw problem('invalid_json')
  const { call_id, tool_name, input } = body
  if (typeof call_id !== 'string' || typeof tool_name !== 'string') throw problem('invalid_json')
  // Of a client that does not ask, only somebody else can say that it does.
  if (!(JSON.parse(run.launch_json) as LaunchFacts).holds) return { status: 200, body: {} }
  const why = await app.monitor.hold(run, { call_id: call_id.slice(0, 128), tool_name: tool_name.slice(0, 255), input })
  if (why === null) return { status: 200, body: {} }
  return { status: 200, body: { stopped: `Muster stopped this call: it was judged harmful (${why})` } }
}
