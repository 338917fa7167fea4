import { type Static, Type } from 'typebox'
import { CredentialDraft, CredentialValue, defaultVariables, deliveries } from '#contract/credentials'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor } from '#kernel/feature'
import { validator } from '#kernel/http/validate'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { queries as assignmentQueries } from '../assignments/queries.ts'
import { variableOfName } from '../assignments/rules.ts'
import { note } from '../audit/service.ts'
import { queries } from '../queries.ts'
import { cleanValue, merge } from '../rules.ts'
import { forgetKnown, sealValue, vaultOf } from '../values.ts'

const { name, type, provider } = CredentialDraft.properties
const Offer = Type.Object({ name, value: CredentialValue, type, provider })
const check = validator(Offer, 'body')

export type Proposal = Static<typeof Offer>

/** Checks what an agent offers against the rules for credentials; a refusal names the member. */
export function readProposal(given: unknown): Proposal {
  const read = check(given)
  if ('problem' in read) throw read.problem
  return read.value as Proposal
}

interface Offered {
  workspace: string
  crew: string
  agent: string
  now: string
}

/** Stores what an agent offers, sealed, delivered to nobody until people accept it. */
export function propose(
  app: App,
  { workspace, crew, agent, now }: Offered,
  proposal: Proposal,
): { id: string; name: string } {
  vaultOf(app)
  if (deliveries[proposal.type ?? 'SECRET'] === 'server')
    throw problem('invalid_field', { field: 'metadata.type', detail: 'Tokens of OAUTH2 are had by signing in' })
  // A model key that the whole workspace could use would be used by all of it.
  const forCrew = deliveries[proposal.type ?? 'SECRET'] === 'model'
  const { tags, crew_ids, ...members } = merge({
    ...proposal,
    ...(forCrew && { scope: 'CREW' as const, crew_ids: [crew] }),
  })
  const id = newId(app.clock())
  const made = queries(app.db).propose.get({
    ...members,
    id,
    workspace_id: workspace,
    tags_json: JSON.stringify(tags),
    encrypted_value: sealValue(app, id, cleanValue(members.type, proposal.value)),
    updated_at: now,
  })
  if (!made)
    throw problem('name_taken', { field: 'metadata.name', detail: `Another credential has the name "${members.name}"` })
  for (const it of crew_ids) queries(app.db).addCrew.run(id, it)
  forgetKnown(app, workspace)
  note(app, id, 'CREATED', actorOf(null), { offered_by: agent })
  return { id, name: members.name }
}

/** Accepts an offered credential: it becomes active and is assigned to the agent that offered it. */
export function acceptProposal(
  app: App,
  actor: Actor,
  { id, agent, now }: { id: string; agent: string; now: string },
): void {
  const row = queries(app.db).accept.get({ id, user: actor.id, now })
  const full = row && queries(app.db).find.get(actor.workspace, id)
  if (!row || !full) throw problem('not_found', { detail: 'The credential that was offered is gone' })
  const variable =
    (deliveries[full.type] === 'model' && (defaultVariables as Record<string, string>)[full.provider]) ||
    variableOfName(row.name)
  assignmentQueries(app.db).insert.get({
    id: newId(app.clock()),
    workspace_id: actor.workspace,
    agent_id: agent,
    credential_id: id,
    env_var_name: variable,
    priority: 0,
    expires_at: null,
    lease_source: null,
    lease_issued_at: null,
    created_at: now,
  })
  const metadata = { status: 'ACTIVE', assigned_to: agent, env_var_name: variable } as const
  const about = { workspace_id: actor.workspace, agent_id: agent, ...actorOf(actor) }
  app.journal(fact('credential.accepted', { entity_id: id, name: row.name, metadata }, about))
}

/** Erases the value of a rejected or expired offer. Does nothing when the offer was decided before. */
export function refuseProposal(app: App, actor: Actor | null, id: string, now: string): void {
  const row = queries(app.db).refuse.get({ id, now })
  if (!row) return
  queries(app.db).dropCrews.run(id)
  forgetKnown(app, row.workspace_id)
  note(app, id, 'REJECTED', actorOf(actor))
  const payload = { entity_id: id, name: row.name, metadata: { status: 'REJECTED' } } as const
  app.journal(fact('credential.refused', payload, { workspace_id: row.workspace_id, ...actorOf(actor) }))
}
