import type { Static } from 'typebox'
import type { credentials, Rotation } from '#contract/credentials'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import { type App, wholeSeconds } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Actor, Call } from '#kernel/feature'
import { newId } from '#kernel/ids'
import { problem } from '#kernel/problem'
import { note } from '../audit/service.ts'
import { type CredentialRow, queries as credentialQueries } from '../queries.ts'
import { cleanValue } from '../rules.ts'
import { forgetKnown, openValue, sealValue, vaultOf } from '../values.ts'
import { queries, type RotationRow } from './queries.ts'

const rowOf = (id: string) => `credential_rotations:${id}`

export function toRotation(app: App, { encrypted_old, ...row }: RotationRow): Static<typeof Rotation> {
  const over = Date.parse(row.expires_at) <= app.clock()
  return {
    ...row,
    status: row.cancelled_at ? 'CANCELLED' : over ? 'EXPIRED' : 'ACTIVE',
    old_value_gone: encrypted_old === null,
  }
}

/**
 * Replaces the value of a credential and gives it a new start. The old value is kept, sealed, until its grace is over:
 * what was started with it may still print it, and the scrubber has to know it.
 */
export function replaceValue(
  app: App,
  actor: Actor,
  row: CredentialRow,
  given: string,
  graceSeconds: number,
): RotationRow {
  if (row.type === 'OAUTH2')
    throw problem('invalid_field', { field: 'value', detail: 'New tokens come with a sign-in: muster oauth initiate' })
  const sealed = sealValue(app, row.id, cleanValue(row.type, given))
  const id = newId(app.clock())
  const made = queries(app.db).insert.get({
    id,
    credential_id: row.id,
    encrypted_old: graceSeconds > 0 ? keepOld(app, row, id) : null,
    grace_seconds: graceSeconds,
    rotated_at: app.now(),
    expires_at: wholeSeconds(app.clock() + graceSeconds * 1000),
    rotated_by: actor.id,
  })
  credentialQueries(app.db).setValue.run(sealed, app.now(), row.id)
  forgetKnown(app, row.workspace_id)
  note(app, row.id, 'ROTATE', actorOf(actor), { rotation_id: id, grace_seconds: graceSeconds })
  const payload = { credential_id: row.id, credential_name: row.name, rotation_id: id, grace_seconds: graceSeconds }
  app.journal(fact('credential.rotated', payload, concerning(actor, row.workspace_id, row.id)))
  return made!
}

const concerning = (actor: Actor, workspace_id: string, credentialId: string) => ({
  workspace_id,
  ...actorOf(actor),
  refs: { entity_type: 'credential', entity_id: credentialId },
})

/** Null when the old value cannot be decrypted, in which case nothing was started with it either. */
function keepOld(app: App, row: CredentialRow, rotationId: string): string | null {
  const old = openValue(app, row)
  return old === null ? null : vaultOf(app).seal(old, rowOf(rotationId))
}

/** `mustSee` throws for a credential that the caller may not see. */
export function cancelRotation(
  app: App,
  { actor, rotationId }: Call<typeof credentials.cancel>,
  mustSee: (credentialId: string) => unknown,
): Reply<typeof credentials.cancel> {
  const row = queries(app.db).find.get(actor.workspace, rotationId)
  if (!row) throw problem('not_found', { detail: 'There is no such rotation' })
  mustSee(row.credential_id)
  const { name, ...rotation } = row
  if (toRotation(app, rotation).status !== 'ACTIVE') return toRotation(app, rotation)
  queries(app.db).cancel.run(app.now(), rotationId)
  forgetKnown(app, actor.workspace)
  note(app, row.credential_id, 'REVOKE', actorOf(actor), { rotation_id: rotationId })
  const payload = { credential_id: row.credential_id, credential_name: name, rotation_id: rotationId }
  app.journal(fact('credential.rotation_cancelled', payload, concerning(actor, actor.workspace, row.credential_id)))
  return toRotation(app, { ...rotation, encrypted_old: null, cancelled_at: app.now() })
}

/** Erases the old values whose grace is over; returns how many. */
export function eraseExpired(app: App): number {
  const erased = queries(app.db).eraseExpired.all(app.now())
  for (const { workspace_id } of erased) forgetKnown(app, workspace_id)
  return erased.length
}

/** When the grace of the next old value ends. */
export const nextExpiry = ({ db }: App): string | null => queries(db).nextExpiry.get()?.expires_at ?? null

/** Old values that are still secrets, of one workspace. */
export function keptValues(app: App, workspace: string): string[] {
  const { open } = vaultOf(app)
  return queries(app.db)
    .kept.all(workspace)
    .flatMap(({ id, encrypted_old }) => {
      try {
        return encrypted_old === null ? [] : [open(encrypted_old, rowOf(id))]
      } catch {
        return []
      }
    })
}
