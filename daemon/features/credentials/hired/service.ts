import { providerFor } from '#contract/agents'
import { defaultVariables } from '#contract/credentials'
import { type Acting, fact, type Payload } from '#contract/entries'
import type { App } from '#kernel/app'
import { acting, type Happened } from '#kernel/facts'
import { newId } from '#kernel/ids'
import { storageFault } from '#kernel/store/storage-fault'
import { providerOf } from '../../../providers/index.ts'
import { queries as assignments } from '../assignments/queries.ts'
import { statusOf } from '../rules.ts'
import { type Hired, queries } from './queries.ts'

/** A hired agent is given what pays for its model, once people have approved it where they must. */
export function giveHired(app: App, { payload, about }: Happened<'agent.hired'>): void {
  if (!payload.metadata.pending_review) give(app, payload.entity_id, acting(about))
}

export function giveRehired(app: App, { payload, about }: Happened<'agent.rehired'>): void {
  if (payload.metadata.was_ghost) give(app, payload.entity_id, acting(about))
}

export const giveApproved = (app: App, { payload, about }: Happened<'agent.hire_approved'>): void =>
  give(app, payload.entity_id, acting(about))

/** Assigns the active credentials of the provider of its model, oldest first. Never fails what made the agent. */
export function give(app: App, agentId: string, by: Acting): void {
  const agent = queries(app.db).agent.get(agentId)!
  if (agent.status === 'PENDING_REVIEW') return
  const logins = loginsFor(app, agent)
  if (!logins) return
  for (const [priority, { id, name, type }] of logins.entries()) assign(app, agent, { id, name, type, priority }, by)
  if (logins.length) return
  const payload = { workspace_id: agent.workspace_id, agent_id: agentId }
  app.journal(fact('credential.auto_assign_empty', payload, { ...aboutOf(agent), actor_type: 'system' }))
}

const providerOfAgent = ({ cli_adapter, llm_provider }: Hired) => providerFor(cli_adapter, llm_provider)!

function loginsFor(app: App, agent: Hired) {
  try {
    return queries(app.db)
      .logins.all(agent.workspace_id, providerOfAgent(agent))
      .filter((row) => statusOf(row, app.clock()) === 'ACTIVE')
  } catch (error) {
    failed(app, agent, { reason: 'list_query' }, error)
    return null
  }
}

interface Login {
  id: string
  name: string
  type: string
  priority: number
}

function assign(app: App, agent: Hired, { id: credential_id, name, type, priority }: Login, by: Acting): void {
  const id = newId(app.clock())
  const provider = providerOfAgent(agent)
  const login = type === 'AI_CLI_TOKEN' ? providerOf(provider)?.loginVariable : undefined
  const env_var_name = login ?? (defaultVariables as Record<string, string>)[provider]!
  const row = { id, agent_id: agent.id, workspace_id: agent.workspace_id, credential_id, env_var_name, priority }
  const standing = { expires_at: null, lease_source: null, lease_issued_at: null, created_at: app.now() }
  try {
    if (!assignments(app.db).insert.get({ ...row, ...standing })) return
  } catch (error) {
    failed(app, agent, { reason: 'insert', credential_id }, error)
    return
  }
  const metadata = { credential_id, agent_slug: agent.slug, env_var_name }
  app.journal(fact('agent_credential.created', { entity_id: id, name, metadata }, { ...aboutOf(agent), ...by }))
}

const aboutOf = ({ id, workspace_id, crew_id }: Hired) => ({
  workspace_id,
  ...(crew_id && { crew_id }),
  agent_id: id,
})

type Failure = Pick<Payload<'credential.auto_assign_failed'>, 'reason' | 'credential_id'>

/** A fault of the disk ends the whole change: nothing of it could be stored. */
function failed(app: App, agent: Hired, failure: Failure, error: unknown): void {
  if (storageFault(error)) throw error
  const payload = {
    workspace_id: agent.workspace_id,
    agent_id: agent.id,
    ...failure,
    error: error instanceof Error ? error.message : String(error),
  }
  app.journal(fact('credential.auto_assign_failed', payload, { ...aboutOf(agent), actor_type: 'system' }))
}
