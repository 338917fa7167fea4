import type { Static } from 'typebox'
import { type Credential, type credentials, laterCredentialMembers } from '#contract/credentials'
import type { Reply } from '#contract/define'
import type { Acting } from '#contract/entries'
import { allows } from '#contract/roles'
import type { App } from '#kernel/app'
import { crewRoles, holds } from '#kernel/auth/standing'
import { actorOf } from '#kernel/dispatch'
import { acting, type Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { refuseLater, requireSome } from '#kernel/http/fields'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { note } from './audit/service.ts'
import { isTestable } from './probes/rules.ts'
import { type CredentialRow, queries } from './queries.ts'
import { queries as rotationQueries } from './rotations/queries.ts'
import { replaceValue } from './rotations/service.ts'
import { type CredentialMembers, cleanValue, memberNames, merge, statusOf } from './rules.ts'
import { forgetKnown, openValue, sealValue } from './values.ts'

/** Whether this server's key opens what is stored, judged by the newest value; null when nothing is stored. */
export function keyOpensStored(app: App): boolean | null {
  const newest = queries(app.db).newest.get()
  return newest ? openValue(app, newest) !== null : null
}

/** Members below MANAGER see what the whole workspace may use, and what belongs to crews of theirs. */
export const seesAll = (actor: Actor): boolean => actor.role !== null && allows('MANAGER', actor.role)

/** Whether this person may see a credential of the workspace. */
export const sees = ({ db }: App, actor: Actor, { id, scope }: Pick<CredentialRow, 'id' | 'scope'>): boolean =>
  scope === 'WORKSPACE' || seesAll(actor) || queries(db).sharedCrew.get(id, actor.id) !== undefined

/** A live credential of the workspace that this person may see, or `not_found`. */
export function findCredential(app: App, actor: Actor, credentialId: string): CredentialRow {
  const row = queries(app.db).find.get(actor.workspace, credentialId)
  if (!row || !sees(app, actor, row)) throw problem('not_found', { detail: 'There is no such credential' })
  return row
}

/** What a credential is called and how it stands, whoever asks; null when it is gone. */
export function standingOf(app: App, workspace: string, credentialId: string) {
  const row = queries(app.db).find.get(workspace, credentialId)
  return row ? { name: row.name, scope: row.scope, status: statusOf(row, app.clock()) } : null
}

/** A credential that this person may change: what an agent offered is decided first, where it was offered. */
export function findDecided(app: App, actor: Actor, credentialId: string): CredentialRow {
  const row = findCredential(app, actor, credentialId)
  if (row.status === 'PENDING_APPROVAL')
    throw problem('source_managed', {
      detail: 'An agent offered this credential: approve or reject its escalation first (muster escalations list)',
    })
  return row
}

export function toCredential(app: App, row: CredentialRow): Static<typeof Credential> {
  const {
    encrypted_value: _value,
    cooldown_until: _cooldown,
    tags_json,
    crew_ids_json,
    agents,
    agents_json,
    ...rest
  } = row
  const given = JSON.parse(agents_json) as [id: string, name: string][]
  const crew_ids = JSON.parse(crew_ids_json) as string[]
  return {
    ...rest,
    crew_ids,
    crew_id: crew_ids[0] ?? null,
    tags: JSON.parse(tags_json) as string[],
    status: statusOf(row, app.clock()),
    ...fixed,
    mcp_used: row.mcp_used === 1,
    testable: isTestable(row.provider),
    agent_ids: given.map(([id]) => id),
    agent_names: given.map(([, name]) => name),
    _count: { agents },
    _count_agent_credentials: agents,
  }
}

/** Members with the same value for every credential in this version. */
const fixed = {
  username: null,
  security_level: 1,
  security_level_label: 'Level 1',
  sensitivity: 'STANDARD' as const,
  last_used_ips: [],
}

const membersOf = ({ tags_json, crew_ids_json, ...row }: CredentialRow): CredentialMembers => ({
  name: row.name,
  type: row.type,
  provider: row.provider,
  description: row.description,
  scope: row.scope,
  crew_ids: JSON.parse(crew_ids_json) as string[],
  tags: JSON.parse(tags_json) as string[],
  account_label: row.account_label,
  account_email: row.account_email,
  token_expires_at: row.token_expires_at,
})

const stored = ({ tags, crew_ids: _crews, ...members }: CredentialMembers) => ({
  ...members,
  tags_json: JSON.stringify(tags),
})
const neutral = { security_level: 1, sensitivity: 'STANDARD' }

export function createCredential(
  app: App,
  { actor, body, now }: Call<typeof credentials.create>,
): Reply<typeof credentials.create> {
  refuseLater(body, laterCredentialMembers, neutral)
  const members = merge(body)
  const value = cleanValue(members.type, body.value)
  const id = newId(app.clock())
  const made = queries(app.db).insert.get({
    ...stored(members),
    id,
    workspace_id: actor.workspace,
    encrypted_value: sealValue(app, id, value),
    created_by: actor.id,
    updated_at: now,
  })
  if (!made) throw problem('name_taken', { field: 'name', detail: `Another credential has the name "${members.name}"` })
  setCrews(app, actor, id, members.crew_ids)
  if (!seesAll(actor)) guardCrews(app, actor, members.crew_ids)
  forgetKnown(app, actor.workspace)
  note(app, id, 'CREATED', actorOf(actor))
  return toCredential(app, findCredential(app, actor, id))
}

function setCrews({ db }: App, actor: Actor, credentialId: string, crewIds: string[]): void {
  queries(db).dropCrews.run(credentialId)
  for (const [index, crew] of crewIds.entries()) {
    if (!queries(db).liveCrew.get(actor.workspace, crew))
      throw problem('invalid_field', { field: `crew_ids.${index}`, detail: 'There is no such crew' })
    queries(db).addCrew.run(credentialId, crew)
  }
}

/** Those who may only create credentials cannot give them to crews they do not belong to. */
function guardCrews({ db }: App, actor: Actor, crewIds: string[]): void {
  const own = crewRoles(db, actor)
  const index = crewIds.findIndex((crew) => !own.has(crew))
  if (index >= 0)
    throw problem('insufficient_role', {
      field: `crew_ids.${index}`,
      detail: 'Below MANAGER you store credentials for crews that you belong to',
    })
}

export function updateCredential(
  app: App,
  { actor, body, now, credentialId }: Call<typeof credentials.update>,
): Reply<typeof credentials.update> {
  const before = findDecided(app, actor, credentialId)
  refuseLater(body, laterCredentialMembers, neutral)
  requireSome(body, memberNames)
  const members = merge(body, membersOf(before))
  if (body.value !== undefined) replaceAtOnce(app, actor, { ...before, type: members.type }, body.value)
  else if (members.type !== before.type) recheckValue(app, before, members)
  // A new value starts without the old one's expiry.
  if (body.value !== undefined && body.token_expires_at === undefined) members.token_expires_at = null
  const changed = queries(app.db).update.get({
    ...stored(members),
    id: credentialId,
    workspace_id: actor.workspace,
    updated_at: now,
  })
  if (!changed)
    throw problem('name_taken', { field: 'name', detail: `Another credential has the name "${members.name}"` })
  setCrews(app, actor, credentialId, members.crew_ids)
  return toCredential(app, findCredential(app, actor, credentialId))
}

function replaceAtOnce(app: App, actor: Actor, row: CredentialRow, value: string): void {
  if (!(actor.role && allows('ADMIN', actor.role)) && !holds(app.db, actor, 'credential.rotate'))
    throw problem('insufficient_role', { detail: 'Replacing a value needs the role ADMIN or above' })
  replaceValue(app, actor, row, value, 0)
}

/** A value that is valid for a file may not be a valid model key. */
function recheckValue(app: App, row: CredentialRow, { type }: CredentialMembers): void {
  const value = openValue(app, row)
  if (value === null)
    throw problem('encryption_unavailable', { detail: 'The stored value cannot be opened with this encryption key' })
  if (cleanValue(type, value) !== value)
    throw problem('invalid_field', { field: 'type', detail: `The stored value is no ${type}; send the value as well` })
}

/** Deletes a credential: its values and assignments are erased, and its row stays for the record. */
export function removeCredential(app: App, { actor, credentialId }: Call<typeof credentials.remove>) {
  const { name } = findDecided(app, actor, credentialId)
  end(app, actor.workspace, credentialId, actorOf(actor))
  return { success: true, id: credentialId, name }
}

function end(app: App, workspace: string, credentialId: string, by: Acting): void {
  queries(app.db).remove.run(app.now(), app.now(), credentialId)
  queries(app.db).withdraw.run(credentialId)
  queries(app.db).dropCrews.run(credentialId)
  rotationQueries(app.db).erase.run(credentialId)
  forgetKnown(app, workspace)
  note(app, credentialId, 'REVOKE', by)
}

/** Every credential ends with its workspace. */
export function removeWorkspaceCredentials(app: App, { payload, about }: Happened<'workspace.deleted'>): void {
  const workspace = payload.entity_id
  for (const { id } of queries(app.db).ofWorkspace.all(workspace)) end(app, workspace, id, acting(about))
}

/** A deleted crew has no credentials. */
export const dropCrew = ({ db }: App, { payload }: Happened<'crew.deleted'>): void =>
  void queries(db).dropCrew.run(payload.entity_id)

/** A deleted agent has no credentials, and neither has one whose hire is over. */
export const dropAgent = (
  { db }: App,
  { payload }: Happened<'agent.deleted' | 'agent.expired' | 'agent.hire_denied'>,
): void => void queries(db).dropAgent.run(payload.entity_id)
