import { type Acting, fact, type Payload } from '#contract/entries'
import type { App } from '#kernel/app'
import { cut } from '#kernel/cut'
import type { Row } from './queries.ts'
import { isPrivate, withoutWords } from './readers.ts'

/** Characters of a question or an answer that the journal holds. */
const told = 8000

type Told = Payload<'peer.conversation'>

/** Records what became of a question, and tells the workspace. */
export function tell(app: App, given: Row, state: Told['state'], by: Acting): void {
  const row = isPrivate(app, given) ? withoutWords(given) : given
  const { id, workspace_id, crew_id, from_agent_id, run_id, asking_run_id, response, error, duration_ms } = row
  const payload: Told = {
    message_type: 'query',
    state,
    question: cut(row.question, told),
    ...(response !== null && { response: cut(response, told) }),
    ...(error !== null && { error }),
    from_slug: row.from_slug,
    target_slug: row.to_slug,
    target_name: row.to_name,
    ...(duration_ms !== null && { duration_ms }),
    thread_id: asking_run_id,
  }
  const refs = { peer_conversation_id: id, run_id }
  const about = { workspace_id, crew_id, agent_id: from_agent_id, trace_id: asking_run_id, ...by, refs }
  app.journal(fact('peer.conversation', payload, about))
  const changed = { id, crew_id, status: row.status, from_slug: row.from_slug, to_slug: row.to_slug }
  app.broadcast({ channel: `workspace:${workspace_id}`, type: 'peer_conversation.updated', payload: changed })
}
