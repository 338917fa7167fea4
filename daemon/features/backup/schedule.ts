import { readFile } from 'node:fs/promises'
import type { BackupLevel } from '#contract/backup'
import type { App } from '#kernel/app'
import { homeOf } from '#kernel/auth/home'
import { isRecipient, type Locking } from '#kernel/bundle/age'
import { timerAt } from '#kernel/jobs/due'
import { clearLeftovers } from './folder.ts'
import { makeBackup } from './making.ts'
import { isLongEnough } from './rules.ts'
import { newest, rotate } from './service.ts'

const hourMs = 3_600_000

/** Removes what a killed daemon left, and makes backups when they are due; one that fails is tried again in an hour. */
export function scheduled(app: App): { close(): void } {
  if (app.db.memory) return { close: () => undefined }
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let notBefore = 0

  async function look(): Promise<void> {
    const at = await dueAt(app)
    if (closed || at === null) return
    // Before the first user there is nothing to back up.
    if (at <= app.clock() && notBefore <= app.clock() && homeOf(app)) {
      try {
        await makeDue(app)
      } catch {
        // It is logged and in the journal.
        notBefore = app.clock() + hourMs
      }
    }
    wait()
  }

  function wait(): void {
    if (!closed) timer = timerAt(app, app.clock() + hourMs, () => void look().catch(failed))
  }

  function failed(error: unknown): void {
    app.log.error({ err: error }, 'The folder of backups cannot be read; the schedule goes on')
    wait()
  }

  void clearLeftovers(app).then(look).catch(failed)
  return {
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** When the next backup is due, milliseconds since 1970; null when none is. */
export async function dueAt(app: App): Promise<number | null> {
  const { backupHours } = app.config
  if (!backupHours) return null
  const last = await newest(app)
  return last?.created_at === undefined ? 0 : Date.parse(last.created_at) + backupHours * hourMs
}

async function makeDue(app: App): Promise<void> {
  const { backupLevel, backupKeep } = app.config
  await makeBackup(app, null, { level: backupLevel as BackupLevel, locking: () => configured(app), with_key: false })
  if (backupKeep) await rotate(app, null, { last: backupKeep }, false)
}

/** How the configuration wants backups to be encrypted. One that names no way gets none. */
async function configured({ config: { backupRecipient, backupPassphraseFile } }: App): Promise<Locking> {
  if (backupRecipient) {
    if (!isRecipient(backupRecipient)) throw new Error('backup.recipient is no public key of age (age1...)')
    return { kind: 'recipient', recipient: backupRecipient }
  }
  if (!backupPassphraseFile)
    throw new Error('The schedule of backups needs backup.recipient or backup.passphrase_file to encrypt them')
  const passphrase = (await readFile(backupPassphraseFile, 'utf8')).replace(/\r?\n$/, '')
  if (!isLongEnough(passphrase)) throw new Error('The passphrase in backup.passphrase_file is too short')
  return { kind: 'passphrase', passphrase }
}
