import { fact } from '#contract/entries'
import type { crewPeers, peers } from '#contract/peers'
import type { App } from '#kernel/app'
import { cut } from '#kernel/cut'
import type { Call } from '#kernel/feature'
import { isVisible, pageOf } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { callerOf } from '../../agents/service.ts'
import { mayDelegate } from '../../crews/connections/service.ts'
import { crewCalled, findCrew } from '../../crews/service.ts'
import { checkOpen } from '../../runs/chains/service.ts'
import { findRun } from '../../runs/service.ts'
import { queries, type Row } from './queries.ts'

/** Messages to a crew that are kept, the newest. */
const kept = 1000
/** Characters that the journal holds. */
const told = 8000

export function listMessages(app: App, { actor, query }: Call<typeof crewPeers.messages>): Row[] {
  const window = pageOf(query)
  if (!query.crew_id) return queries(app.db).list.all({ workspace: actor.workspace, ...window })
  findCrew(app, actor.workspace, query.crew_id)
  return queries(app.db).ofCrew.all({ crew: query.crew_id, ...window })
}

export function readMessages(app: App, { body }: Call<typeof peers.readMessages>): { messages: Row[] } {
  callerOf(app, body)
  return { messages: queries(app.db).ofCrew.all({ crew: body.crew_id, limit: body.limit ?? 20, offset: 0 }) }
}

/** Stores a message of an agent for another crew; it begins nothing there. */
export function sendMessage(app: App, { body: sent, now }: Call<typeof peers.sendMessage>): Row {
  const { workspace_id, crew_id, agent_id, run_id, to_crew } = sent
  callerOf(app, sent)
  const body = sent.body.trim()
  if (!isVisible(body)) throw problem('invalid_field', { field: 'body', detail: 'body must not be blank' })
  const to = crewCalled(app, workspace_id, to_crew)
  if (!to) throw problem('not_found', { field: 'to_crew', detail: 'There is no such crew' })
  if (to.id === crew_id)
    throw problem('invalid_field', { field: 'to_crew', detail: 'That is your own crew: use query to ask its agents' })
  if (!mayDelegate(app, crew_id, to.id))
    throw problem('crews_not_connected', {
      field: 'to_crew',
      detail: `Your crew has no connection to crew ${to.slug}: its LEAD may ask for one with connect_crew`,
    })
  const begun = run_id ? findRun(app, run_id) : undefined
  checkOpen(app, begun, 'use assign or query instead')
  const id = newId(app.clock())
  const run = begun?.agent_id === agent_id ? begun.id : null
  const row = { id, workspace_id, from_crew_id: crew_id, to_crew_id: to.id, from_agent_id: agent_id, run_id: run }
  queries(app.db).insert.run({ ...row, body, created_at: now })
  queries(app.db).prune.run({ crew: to.id, kept })
  const made = queries(app.db).find.get(id)!
  tell(app, workspace_id, agent_id, made)
  return made
}

function tell(app: App, workspace_id: string, agent_id: string, { id, body, run_id, ...row }: Row): void {
  const { from_crew_id, from_crew_slug, to_crew_id, to_crew_slug } = row
  const ends = { from_crew_id, from_crew_slug, to_crew_id, to_crew_slug }
  app.journal(
    fact(
      'message.broadcast',
      { message_id: id, ...ends, body: cut(body, told) },
      {
        workspace_id,
        crew_id: from_crew_id,
        agent_id,
        actor_type: 'agent',
        actor_id: agent_id,
        ...(run_id && { trace_id: run_id }),
      },
    ),
  )
  app.broadcast({ channel: `workspace:${workspace_id}`, type: 'crew_message.created', payload: { id, ...ends } })
}
