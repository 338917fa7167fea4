import type { BackupListed } from '#contract/backup'
import { passphraseLength } from '#contract/backup'
import { isRecipient, type Locking } from '#kernel/bundle/age'
import { problem } from '#kernel/problem'

interface Ways {
  passphrase?: string | undefined
  recipient?: string | undefined
  no_encrypt?: boolean | undefined
  with_key?: boolean | undefined
}

/** How a bundle is to be encrypted; exactly one way must be named. */
export function lockingOf({ passphrase, recipient, no_encrypt, with_key }: Ways): Locking {
  const ways = [passphrase !== undefined, recipient !== undefined, no_encrypt === true].filter(Boolean).length
  if (ways !== 1)
    throw problem('invalid_field', {
      field: 'passphrase',
      detail: 'Name one of passphrase, recipient and no_encrypt: how the bundle is to be encrypted',
    })
  if (no_encrypt && with_key)
    throw problem('invalid_field', {
      field: 'with_key',
      detail: 'The encryption key goes into no bundle that is not encrypted',
    })
  if (recipient !== undefined && !isRecipient(recipient))
    throw problem('invalid_field', { field: 'recipient', detail: 'The recipient is no public key of age (age1...)' })
  if (recipient !== undefined) return { kind: 'recipient', recipient }
  return passphrase !== undefined ? { kind: 'passphrase', passphrase } : { kind: 'none' }
}

/** Whether a passphrase of the configuration may be used. */
export const isLongEnough = (passphrase: string): boolean => passphrase.length >= passphraseLength

const dayMs = 86_400_000

/** The bundles that rotation deletes: all but the newest `last` and those of the last `days`. Unusable ones stay. */
export function expired(
  newestFirst: readonly BackupListed[],
  keep: { last?: number | undefined; days?: number | undefined },
  now: number,
): BackupListed[] {
  const sound = newestFirst.filter((it) => it.created_at !== undefined && it.flaw === undefined)
  const since = keep.days === undefined ? Number.POSITIVE_INFINITY : now - keep.days * dayMs
  // The newest one always stays.
  return sound.filter((it, index) => index >= Math.max(1, keep.last ?? 1) && Date.parse(it.created_at!) < since)
}
