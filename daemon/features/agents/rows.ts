import type { Static } from 'typebox'
import { type Agent, type AgentRow as AgentListRow, providerFor } from '#contract/agents'
import { allows, higher } from '#contract/roles'
import { type App, wholeSeconds } from '#kernel/app'
import { crewRoles } from '#kernel/auth/standing'
import { nextTimes } from '#kernel/cron'
import type { Actor } from '#kernel/feature'
import { paysWith } from '../credentials/delivery/service.ts'
import { type AgentCounts, type AgentRow, queries } from './queries.ts'

/** Whether the caller may create agents, and so see their tool servers. */
const isCreator = (actor: Actor) => actor.role !== null && allows('MANAGER', actor.role)

/** A row of the list; `pays_with` is set only for a single agent. */
function toAgentRow(row: AgentRow & AgentCounts, actor: Actor): Static<typeof AgentListRow> {
  const {
    crew_name,
    crew_slug,
    crew_color,
    crew_avatar_style,
    avatar_version,
    credentials,
    skills,
    chats,
    ...members
  } = row
  const { mcp_config_json, created_by_user_id, owner_email, owner_name, last_active, ...shown } = members
  const { webhook_secret_set: _set, ...rest } = shown
  return {
    ...rest,
    avatar_url: avatar_version && avatarUrl(row, avatar_version),
    memory_enabled: row.memory_enabled === 1,
    schedule_enabled: row.schedule_enabled === 1,
    webhook_require_timestamp: row.webhook_require_timestamp === 1,
    ...(mcp_config_json && isCreator(actor) && { mcp_config_json }),
    crew:
      rest.crew_id !== null && crew_name !== null && crew_slug !== null
        ? { id: rest.crew_id, name: crew_name, slug: crew_slug, color: crew_color, avatar_style: crew_avatar_style }
        : null,
    _count: { skills, credentials, chats },
    ...(created_by_user_id && { created_by_user_id }),
    ...(owner_email !== null && { owner: { full_name: owner_name, email: owner_email } }),
    ...(last_active !== null && { last_active_at: new Date(last_active).toISOString() }),
    ephemeral: row.ephemeral === 1,
    pays_with: null,
  }
}

/** The URL contains the version of the picture, so browsers may cache it. */
export const avatarUrl = ({ id, workspace_id }: Pick<AgentRow, 'id' | 'workspace_id'>, version: string): string =>
  `/api/v1/agents/${id}/avatar?v=${version}&workspace_id=${workspace_id}`

/** Rows of the list, each with the members that the caller's role in its crew may see. */
export function toAgentRows(app: App, rows: (AgentRow & AgentCounts)[], actor: Actor): Static<typeof AgentListRow>[] {
  const roles = crewRoles(app.db, actor)
  return rows.map((row) =>
    toAgentRow(row, { ...actor, role: higher(actor.role, (row.crew_id && roles.get(row.crew_id)) || null) }),
  )
}

export function toAgent(app: App, row: AgentRow, actor: Actor): Static<typeof Agent> {
  const provider = providerFor(row.cli_adapter, row.llm_provider)
  const counted = { ...row, ...queries(app.db).counts.get(row.id)! }
  return {
    ...toAgentRow(counted, actor),
    schedule_next_runs: nextRuns(app, row),
    webhook_secret_set: row.webhook_secret_set === 1,
    pays_with: provider ? paysWith(app, actor, row.id, provider) : null,
  }
}

const nextRuns = (
  app: App,
  { schedule_cron: cron, schedule_timezone: zone, schedule_enabled: on }: AgentRow,
): string[] => (cron !== null && on === 1 ? nextTimes(cron, zone, app.clock()).map(wholeSeconds) : [])
