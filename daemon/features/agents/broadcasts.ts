import type { App } from '#kernel/app'
import type { AgentRow } from './queries.ts'

/** The members by which broadcasts name an agent. */
export const named = ({ id, slug, name }: AgentRow) => ({ agent_id: id, agent_slug: slug, agent_name: name })

/** Tells the workspace's subscribers that an agent changed. */
export const broadcastChange = (app: App, workspace: string, id: string): void =>
  broadcast(app, workspace, 'agent.updated', { id })

export const broadcast = (app: App, workspace: string, type: string, payload: object): void =>
  app.broadcast({ channel: `workspace:${workspace}`, type, payload })
