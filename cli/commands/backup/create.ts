import { Flags } from '@oclif/core'
import { backupLevels } from '#client/words'
import { lockingFlags, lockingOf } from '../../backup/secrets.ts'
import { sized } from '../../backup/sized.ts'
import { ApiCommand } from '../../command.ts'
import { given, oneOf } from '../../flags.ts'
import { madeView } from '../../views/backup.ts'

const pollMs = 1000
/** A day: as long as the largest backup takes. */
const patienceMs = 86_400_000

export default class BackupCreate extends ApiCommand<typeof BackupCreate> {
  static override summary = 'Back the whole server up, while it goes on working'
  static override description =
    'Requires the role ADMIN or OWNER in the first workspace of the server. The encryption key of stored secrets is ' +
    'left out unless --with-key is given: keep a copy of it elsewhere, since no stored secret opens without it.'
  static override examples = [
    '$ <%= config.bin %> backup create --passphrase-file /etc/muster/backup.pass',
    '$ <%= config.bin %> backup create --recipient age1... --level full --with-key',
    '$ <%= config.bin %> backup create --level quick --no-encrypt',
  ]
  static override next = { backup_running: 'muster backup status' }
  static override flags = {
    ...lockingFlags,
    level: oneOf(backupLevels, {
      description: "quick: the database; standard (default): also chats' and crews' files; full: also agents' homes",
    }),
    'with-key': Flags.boolean({ description: 'put the encryption key of stored secrets into the bundle' }),
  }

  async run(): Promise<void> {
    const with_key = this.flags['with-key'] || undefined
    const locking = await lockingOf(this.flags)
    const body = { scope: 'instance' as const, ...given({ scope_level: this.flags.level, with_key }), ...locking }
    const made = await this.progress('Backing up', (say) =>
      this.watched(this.api.backup.create({ body }, { timeout: patienceMs }), say),
    )
    await this.out.done(`Backed up to ${made.path} (${sized(made.size_bytes)}).`, made, madeView)
    if (made.key_included)
      this.out.note('The bundle holds the ENCRYPTION KEY: whoever opens it reads every stored secret.', 'yellow')
    else
      this.out.note(
        'The ENCRYPTION KEY is NOT in the bundle. Keep a copy of encryption.key elsewhere: without it no stored ' +
          'secret opens again.',
        'yellow',
      )
    const { same_disk } = await this.api.backup.status()
    if (same_disk) this.out.note('It is on the disk of the data: copy it elsewhere, or set SVC_BACKUP_DIR.', 'yellow')
  }

  /** Asks how far it is while it goes on. */
  private async watched<R>(work: Promise<R>, say: (text: string) => void): Promise<R> {
    const timer = setInterval(() => {
      this.api.backup.status().then(
        ({ held, phase, done_bytes }) =>
          held && say(phase === 'files' ? `Backing up: ${sized(done_bytes)} written` : 'Backing up: the database'),
        () => undefined,
      )
    }, pollMs)
    try {
      return await work
    } finally {
      clearInterval(timer)
    }
  }
}
