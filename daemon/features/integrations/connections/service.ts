import type { App } from '#kernel/app'
import type { Happened } from '#kernel/facts'
import type { Actor } from '#kernel/feature'
import { isMeantFor } from '../../credentials/oauth/service.ts'
import { removeUnused, standingOf } from '../../credentials/service.ts'
import { type Bound, queries } from './queries.ts'

/** The credential that a server is used with by all who are not bound with one of their own; null without one. */
export const connectedWith = ({ db }: App, server: string): string | null => queries(db).find.get(server) ?? null

/** The credential, and how it is sent, with which an agent uses a server: its own binding's before the server's. */
export function credentialFor(app: App, server: { id: string }, binding: Bound | null): Bound {
  if (binding?.credential_id) return binding
  const credential_id = connectedWith(app, server.id)
  return { credential_id, cred_type: credential_id === null ? null : 'bearer', cred_header: null }
}

/**
 * With what Muster itself asks a server: the credential of the server, else that of the oldest binding with one. `sole`
 * says whether agents use the server with no other.
 */
export function ownCredential(app: App, server: { id: string }): { binding: Bound | null; sole: boolean } {
  const bound = queries(app.db).bound.all(server.id)
  const own = connectedWith(app, server.id)
  const all = new Set([own ?? bound[0]?.credential_id, ...bound.map((it) => it.credential_id)])
  return { binding: own === null ? (bound[0] ?? null) : null, sole: all.size === 1 }
}

interface Reach {
  scope: 'WORKSPACE' | 'CREW'
  /** Those that a credential of scope CREW is for. */
  crews: readonly string[]
}

const reaches = ({ scope, crews }: Reach, crew: string | null): boolean =>
  scope === 'WORKSPACE' || (crew !== null && crews.includes(crew))

/**
 * Connects a credential that was just signed in with the servers that its tokens were issued for, as far as it is for
 * them and they have none that works; returns how many there are.
 */
export function connectServers(app: App, workspace: string, id: string): number {
  const standing = standingOf(app, workspace, id)
  if (!standing) return 0
  const free = (credential: string | null) =>
    credential === null || credential === id || standingOf(app, workspace, credential)?.status !== 'ACTIVE'
  const found = queries(app.db)
    .reachable.all(workspace)
    .filter((it) => reaches(standing, it.crew_id) && free(it.credential_id) && isMeantFor(app, id, it.endpoint ?? ''))
  for (const { id: server } of found) queries(app.db).connect.run(server, id)
  return found.length
}

/** Takes a credential that was changed from the servers that it is for no more. */
export function recheckConnections(app: App, { payload, about }: Happened<'credential.updated'>): void {
  const { entity_id: id } = payload
  const standing = standingOf(app, about.workspace_id!, id)
  for (const server of queries(app.db).reachable.all(about.workspace_id!))
    if (server.credential_id === id && !(standing && reaches(standing, server.crew_id))) disconnect(app, server.id)
}

/** Takes a server's credential from it. */
export const disconnect = ({ db }: App, server: string): void => void queries(db).disconnect.run(server)

/** Forgets a deleted credential. */
export const forgetConnections = ({ db }: App, credential: string): void => void queries(db).forget.run(credential)

/** Deletes tokens that nothing is used with any more. */
export function dropUnused(app: App, actor: Actor, credentials: readonly (string | null)[]): void {
  for (const id of new Set(credentials))
    if (id !== null && queries(app.db).used.get({ credential: id }) === 0) removeUnused(app, actor, id)
}
