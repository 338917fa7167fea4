import type { SessionLoss } from '#contract/entries/chats'
import type { Usage } from '#contract/frames'
import type { App } from '#kernel/app'
import { agentById } from '../../features/agents/service.ts'
import {
  beginSession,
  completeSession,
  forgetSession,
  goneSessions,
  loseSession,
} from '../../features/chats/sessions/service.ts'
import { placeOf } from '../../features/crews/places/service.ts'
import { addUsage, usedBefore } from '../../features/runs/endings/service.ts'
import { findRun, type Run } from '../../features/runs/service.ts'
import type { Runtime } from '../types.ts'
import type { Result } from './ending.ts'
import type { LaunchFacts } from './parts.ts'

const inChat = (run: Run): run is Run & { chat_id: string } => run.chat_id !== null

/** Puts on record, as a run is launched, that its client begins a session for the chat, and why not the former one. */
export function noteSession(app: App, run: Run, { session }: LaunchFacts, lost: SessionLoss | null): void {
  if (!inChat(run) || !session?.client || session.resumed) return
  if (lost) loseSession(app, run, lost)
  beginSession(app, run, session.program, session.client)
}

/** Gives up a session that the client could not go on with. */
export const refuseSession = (app: App, run: Run): void => void (inChat(run) && loseSession(app, run, 'refused'))

/** Records what a session knows after a completed run. */
export function noteCompleted(app: App, run: Run, { facts, verdict }: Result): void {
  const now = findRun(app, run.id)
  if (!now?.launch_json || !facts?.session?.client) return
  // Some clients choose the id of their session, which is known only since it began.
  const id = (JSON.parse(now.launch_json) as LaunchFacts).session!.id
  const own = addUsage(usedBefore(now), verdict.metadata['usage'] as Usage | undefined)
  const used = addUsage(facts.session.used, own) ?? { input_tokens: 0, output_tokens: 0 }
  completeSession(app, now, { id, folder: facts.session.program, used })
}

/** Removes folders of sessions that nothing will go on with; what cannot be removed now is left for later. */
export async function discardSessions(app: App, runtime: Runtime, crewId: string): Promise<void> {
  for (const { folder, agent_id } of goneSessions(app, crewId)) {
    const place = placeOf(app, agent_id)
    try {
      if (agentById(app, agent_id) && place?.crewId === crewId)
        await runtime.discardRun({ crewId, runId: folder, agent: place.agent })
      await app.write(() => forgetSession(app, folder))
    } catch (error) {
      app.log.info({ err: error, crew: crewId }, 'The folder of a session is left for later')
    }
  }
}
