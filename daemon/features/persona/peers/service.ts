import { hash } from 'node:crypto'
import type { agentPeers } from '#contract/agent-peers'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { type AgentRow, findAgent } from '../../agents/service.ts'
import { queries, type Row } from './queries.ts'

/** The name of a person's card among an agent's files: it does not tell who that is. */
export const slugOf = (user: string, workspace: string): string =>
  hash('sha256', `${user}\0${workspace}`, 'hex').slice(0, 16)

const told = ({ user_id, content }: Row, workspace: string) => ({
  user_id,
  user_slug: slugOf(user_id, workspace),
  bytes: Buffer.byteLength(content),
})

export function list(app: App, { actor, agentId }: Call<typeof agentPeers.peers>): Reply<typeof agentPeers.peers> {
  const agent = findAgent(app, actor.workspace, agentId)
  if (!agent.crew_id) throw problem('agent_crewless')
  const peers = queries(app.db)
    .list.all(agent.id)
    .map((row) => ({
      id: row.id,
      ...told(row, actor.workspace),
      created_at: row.created_at,
      updated_at: row.updated_at,
    }))
  return { agent_id: agent.id, peers }
}

const about = ({ id, crew_id }: AgentRow, actor: Actor) => ({
  workspace_id: actor.workspace,
  agent_id: id,
  ...(crew_id && { crew_id }),
  ...actorOf(actor),
})

export function show(
  app: App,
  { actor, agentId, userId }: Call<typeof agentPeers.peer>,
): Reply<typeof agentPeers.peer> {
  const agent = findAgent(app, actor.workspace, agentId)
  const row = queries(app.db).find.get(agent.id, userId)
  if (!row) throw problem('not_found', { field: 'userId', detail: 'The agent keeps no card about that person' })
  app.journal(fact('peer_card.read', { agent_id: agent.id, user_id: userId }, about(agent, actor)))
  return { agent_id: agent.id, ...told(row, actor.workspace), content: row.content }
}

/** Drops what the agents of a workspace keep about somebody who left it and could not delete it any more. */
export const forgetPerson = ({ db }: App, workspace: string, user: string): void =>
  void queries(db).forget.run(workspace, user)

export function remove(app: App, { actor, agentId, userId }: Call<typeof agentPeers.removePeer>): undefined {
  const agent = findAgent(app, actor.workspace, agentId)
  if (userId !== actor.id && !(actor.role && allows('MANAGER', actor.role)))
    throw problem('insufficient_role', { detail: 'Only a MANAGER deletes what an agent keeps about somebody else' })
  const row = queries(app.db).remove.get(agent.id, userId)
  if (!row) return
  const metadata = { agent_id: agent.id, user_id: userId }
  app.journal(fact('peer_card.deleted', { entity_id: row.id, metadata }, about(agent, actor)))
}
