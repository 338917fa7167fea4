import type { Static } from 'typebox'
import type { PaysWith } from '#contract/agents'
import { deliveries } from '#contract/credentials'
import { fact } from '#contract/entries'
import { allows } from '#contract/roles'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { untilWritten } from '#kernel/store/until-written'
import type { ModelCredential, RunFile, SidecarReport } from '#runtime/types'
import { providerOf } from '../../../providers/index.ts'
import { type AgentRef, type GrantRow, queries } from '../assignments/queries.ts'
import { isOver, variableOf } from '../assignments/service.ts'
import { note } from '../audit/service.ts'
import { tierOf } from '../levels/service.ts'
import { queries as credentialQueries } from '../queries.ts'
import { keptValues } from '../rotations/service.ts'
import { statusOf } from '../rules.ts'
import { isEnforced, scopesOf } from '../scopes/service.ts'
import { openValue, rememberKnown } from '../values.ts'
import { queries as deliveryQueries } from './queries.ts'
import { envFile, type Grant, pickVariables, rankModels } from './rules.ts'

/** Everything that one agent is given now. */
export interface Delivery {
  /**
   * For the crew's sidecar, never for the agent. A spent one is among them: the sidecar waits for it and takes the
   * next.
   */
  models: ModelCredential[]
  /** For files in the agent's own secrets folder. */
  secrets: Secret[]
}

export interface Secret {
  credentialId: string
  /** The variable's name. */
  name: string
  value: string
}

type Candidate = Grant & { row: GrantRow }

/**
 * Usable grants of an agent: unexpired, of credentials that are neither failed nor expired nor meant for other crews.
 * An agent whose hire is over has none.
 */
function candidates(
  app: App,
  { id: agent, crew_id: crew, workspace_id: workspace, expired_at }: AgentRef,
): Candidate[] {
  if (expired_at !== null) return []
  const { explicit, ofCrew, ofWorkspace } = queries(app.db)
  const now = app.clock()
  return [
    ...explicit.all({ agent, crew }),
    ...(crew ? ofCrew.all({ agent, crew }) : []),
    ...ofWorkspace.all({ agent, workspace }),
  ]
    .filter((row) => row.in_reach && !isOver(row, now) && ['ACTIVE', 'RATE_LIMITED'].includes(statusOf(row, now)))
    .map((row) => ({
      credentialId: row.credential_id,
      provider: row.provider,
      variable: variableOf(row),
      source: row.source,
      priority: row.priority,
      row,
    }))
}

const delivered = (how: 'model' | 'file') => (grant: Candidate) => deliveries[grant.row.type] === how

/** Whether the agent has it without asking: what is guarded or kept to its scopes, only while a lease goes on. */
const isGiven = (app: App, { row }: Candidate): boolean =>
  (tierOf(row.security_level).delivered && !isEnforced(app, row.credential_id)) ||
  (row.lease_source !== null && row.lease_source !== 'manual')

/** What an agent is given at this moment; a value that cannot be opened is left out. */
export function deliveryOf(app: App, agentId: string): Delivery {
  const agent = queries(app.db).agentById.get(agentId)
  if (!agent) throw problem('not_found', { detail: 'There is no such agent' })
  const all = candidates(app, agent)
  const open = ({ row }: Candidate) => openValue(app, { id: row.credential_id, encrypted_value: row.encrypted_value })
  const models = rankModels(all.filter(delivered('model'))).flatMap((grant): ModelCredential[] => {
    const token = open(grant)
    const scopes = scopesOf(app, grant.credentialId)
    return token === null
      ? []
      : [
          {
            credentialId: grant.credentialId,
            provider: grant.provider,
            kind: kindOf(grant.row, token),
            token,
            priority: grant.order,
            ...(scopes && { scopes }),
          },
        ]
  })
  const secrets = pickVariables(all.filter(delivered('file')).filter((it) => isGiven(app, it))).flatMap(
    (grant): Secret[] => {
      const value = open(grant)
      return value === null ? [] : [{ credentialId: grant.credentialId, name: grant.variable, value }]
    },
  )
  return { models, secrets: secrets.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Tokens of a person's subscription travel as bearer tokens, whatever type they were stored under. */
const kindOf = ({ type, provider }: GrantRow, token: string): ModelCredential['kind'] =>
  type === 'AI_CLI_TOKEN' || isLogin(provider, token) ? 'oauth' : 'api_key'

const isLogin = (provider: string, token: string): boolean => providerOf(provider)?.isLogin?.(token) ?? false

/** Secrets as files for the start of a run: one for each, and `.env`, which a shell can read. */
export function secretFiles(secrets: readonly Secret[], folder: string): RunFile[] {
  if (!secrets.length) return []
  return [
    ...secrets.map(({ name, value }) => ({ path: `${folder}/${name}`, content: value, mode: 0o400 })),
    { path: `${folder}/.env`, content: envFile(secrets), mode: 0o400 },
  ]
}

/** For whom a credential was used: a run of an agent, or Muster itself at an integration. */
type UseDetail = { agent_id: string; run_id: string } | { integration_id: string }

/** Records that credentials were used, as by a run that they were given to. */
export function markUsed(app: App, credentialIds: readonly string[], detail: UseDetail): void {
  for (const id of new Set(credentialIds)) {
    credentialQueries(app.db).setUsed.run(app.now(), id)
    note(app, id, 'USE', actorOf(null), detail)
  }
}

/** As `markUsed`, outside of a change. */
export const noteUse = (app: App, credentialId: string, detail: UseDetail): Promise<void> =>
  untilWritten(app, () => markUsed(app, [credentialId], detail))

/** The provider takes no more calls for a while; the status says so until then. */
export function markLimited(app: App, credentialId: string, seconds: number): void {
  credentialQueries(app.db).setCooldown.get(wholeSeconds(app.clock() + seconds * 1000), credentialId)
}

/** Records that a call of an agent went on with its next credential, since the provider would not take the first. */
export function journalFailover(
  app: App,
  crew_id: string,
  { agentId, credentialId, nextId, reason, status }: Failover,
): void {
  const [from, to] = [credentialId, nextId].map((id) => credentialQueries(app.db).named.get(id))
  if (!from || !to) return
  const about = { workspace_id: from.workspace_id, crew_id, agent_id: agentId, actor_type: 'sidecar' } as const
  const next = { next_id: to.id, next_name: to.name }
  const payload = { credential_id: from.id, credential_name: from.name, ...next, reason, status }
  app.journal(fact('credential.failover', payload, about))
}

type Failover = Extract<SidecarReport, { type: 'credential_failover' }>

/**
 * Which account pays for an agent's model; only its name for those who may not see accounts. docs/rules/agents.md,
 * "Credentials of an agent".
 */
export function paysWith(app: App, actor: Actor, agentId: string, provider: string): Static<typeof PaysWith> | null {
  const agent = queries(app.db).agentById.get(agentId)
  if (!agent) return null
  const models = rankModels(
    candidates(app, agent).filter((grant) => delivered('model')(grant) && grant.provider === provider),
  )
  const payer = models.find(({ row }) => statusOf(row, app.clock()) === 'ACTIVE')
  if (!payer) return null
  const mayKnow = (actor.role && allows('MANAGER', actor.role)) || payer.row.created_by === actor.id
  if (!mayKnow) return { provider, restricted: true }
  return {
    credential_id: payer.credentialId,
    name: payer.row.credential_name,
    login: payer.row.account_label ?? payer.row.account_email,
  }
}

/**
 * Every value of a workspace that must not show up in output, those in their grace included. Quick: remembered until a
 * change.
 */
export function knownSecrets(app: App, workspaceId: string): readonly string[] {
  return rememberKnown(app, workspaceId, () => {
    if (!app.vault) return []
    const live = deliveryQueries(app.db)
      .values.all(workspaceId)
      .flatMap((row) => openValue(app, row) ?? [])
    return [...new Set([...live, ...keptValues(app, workspaceId)])]
  })
}

/** The workspace's oldest working API key of a provider, for questions that the daemon itself asks. */
export function modelKey(
  app: App,
  workspaceId: string,
  provider: string,
): { credentialId: string; token: string } | null {
  if (!app.vault) return null
  for (const row of deliveryQueries(app.db).keys.all(workspaceId, provider)) {
    const token = statusOf(row, app.clock()) === 'ACTIVE' ? openValue(app, row) : null
    if (token !== null && !isLogin(provider, token)) return { credentialId: row.id, token }
  }
  return null
}

/** A working API key of the workspace by its id; null when that is none. */
export function apiKeyOf(
  app: App,
  workspaceId: string,
  credentialId: string,
): { provider: string; token: string } | null {
  const row = deliveryQueries(app.db).keyById.get(workspaceId, credentialId)
  if (!row || !app.vault || statusOf(row, app.clock()) !== 'ACTIVE') return null
  const token = openValue(app, row)
  return token === null ? null : { provider: row.provider, token }
}

/** The address in the workspace's oldest working credential of type ENDPOINT_URL; null without one. */
export function endpointUrl(app: App, workspaceId: string): string | null {
  if (!app.vault) return null
  for (const row of deliveryQueries(app.db).endpoints.all(workspaceId)) {
    const url = statusOf(row, app.clock()) === 'ACTIVE' ? openValue(app, row) : null
    if (url !== null) return url
  }
  return null
}
