import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { type CredentialScopes, type credentialScopes, scopeDays } from '#contract/credential-scopes'
import { fact } from '#contract/entries'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import type { Actor, Call } from '#kernel/feature'
import { type Destination, narrowest, textOf } from '#kernel/outbound/destinations'
import { problem } from '#kernel/problem'
import { type CredentialRow, queries as credentialQueries } from '../queries.ts'
import { queries } from './queries.ts'
import { addUse, firstDay, isPlace, unseen } from './uses.ts'

type Shown = Static<typeof CredentialScopes>

/** A live credential of the workspace, or `not_found`. */
export function credentialIn(app: App, workspace: string, id: string): CredentialRow {
  const row = credentialQueries(app.db).find.get(workspace, id)
  if (!row) throw problem('not_found', { detail: 'There is no such credential' })
  return row
}

/** Whether a credential may be used for its scopes alone. */
export const isEnforced = ({ db }: App, credential: string): boolean =>
  queries(db).enforced.get(credential) !== undefined

/** What a credential may be used for; null: for everything. */
export const scopesOf = (app: App, credential: string): Destination[] | null =>
  isEnforced(app, credential)
    ? queries(app.db)
        .rules.all(credential)
        .map(({ host, method, path }) => ({ host, method, path }))
    : null

/** Counts what a credential of the workspace was used for, if it is still there, within a change. */
export function countUse(
  app: App,
  { workspace, credential }: { workspace: string; credential: string },
  it: Destination,
  uses = 1,
): void {
  if (credentialQueries(app.db).find.get(workspace, credential)) addUse(app, credential, it, uses)
}

/** Counts that values were handed to a program, whose use of them nobody sees. */
export function countHanded(app: App, credentials: Iterable<string>): void {
  for (const id of new Set(credentials)) addUse(app, id, unseen)
}

const revisionOf = (rules: readonly Destination[]): string => hash('sha256', rules.map(textOf).join('\n'), 'hex')

function usesOf(app: App, credential: string, days: number) {
  const rows = queries(app.db).uses.all({ credential, since: firstDay(app, days) })
  const uses = rows.filter(isPlace)
  const places = uses.map(({ host, method, path }) => ({ host, method, path }))
  const proposed = narrowest(places).sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
  return { uses, proposed, handed: rows.find(({ host }) => host === unseen.host)?.uses ?? 0 }
}

function present(app: App, { id, name }: CredentialRow, days: number): Shown {
  const { uses, proposed, handed } = usesOf(app, id, days)
  const enforced = queries(app.db).enforced.get(id)
  return {
    credential_id: id,
    credential_name: name,
    days,
    enforced: enforced !== undefined,
    enforced_at: enforced?.enforced_at ?? null,
    uses,
    proposed,
    revision: revisionOf(proposed),
    active: enforced ? queries(app.db).rules.all(id) : [],
    waiting: queries(app.db)
      .openOf.all(id)
      .map((it) => ({
        id: it.id,
        host: it.host,
        method: it.method,
        path: it.path,
        agent_id: it.agent_id,
        asked_at: it.created_at,
      })),
    unseen: handed,
  }
}

export const scopes = (app: App, { actor, credentialId, query }: Call<typeof credentialScopes.scopes>): Shown =>
  present(app, credentialIn(app, actor.workspace, credentialId), query.days ?? scopeDays)

/** From now on the credential is good for what it was used for, and for nothing else without people. */
export function enforceScopes(
  app: App,
  { actor, credentialId, body, now }: Call<typeof credentialScopes.enforceScopes>,
): Shown {
  const row = credentialIn(app, actor.workspace, credentialId)
  const { days = scopeDays, revision } = body ?? {}
  const { proposed } = usesOf(app, row.id, days)
  if (revision !== undefined && revision !== revisionOf(proposed)) throw problem('scopes_changed')
  if (!proposed.length)
    throw problem('scopes_unknown', {
      detail: `Muster saw no use of it in the last ${days} days: all would be refused`,
    })
  queries(app.db).dropRules.run(row.id)
  for (const rule of proposed) queries(app.db).allow.run({ credential: row.id, ...rule, now })
  queries(app.db).enforce.run(row.id, now)
  const payload = { credential_id: row.id, credential_name: row.name, days, rules: proposed.length }
  app.journal(fact('credential.scopes_enforced', payload, aboutOf(actor)))
  return present(app, row, days)
}

const aboutOf = (actor: Actor) => ({ workspace_id: actor.workspace, ...actorOf(actor) })

/** The credential is good for everything again. */
export function endScopes(app: App, { actor, credentialId }: Call<typeof credentialScopes.endScopes>): Shown {
  const row = credentialIn(app, actor.workspace, credentialId)
  if (queries(app.db).end.get(row.id)) {
    queries(app.db).dropRules.run(row.id)
    const payload = { credential_id: row.id, credential_name: row.name }
    app.journal(fact('credential.scopes_ended', payload, aboutOf(actor)))
  }
  return present(app, row, scopeDays)
}

/** Forgets what a deleted credential was used for. */
export function forgetScopes(app: App, { payload }: Pick<Happened<'credential.deleted'>, 'payload'>): void {
  const { end, dropRules, dropUses } = queries(app.db)
  for (const forget of [dropRules, dropUses]) forget.run(payload.entity_id)
  end.get(payload.entity_id)
}
