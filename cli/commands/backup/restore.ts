import { resolve } from 'node:path'
import { Args, Flags } from '@oclif/core'
import { BackupCommand } from '../../backup/host-work.ts'
import { openingFlags, openingOf } from '../../backup/secrets.ts'
import { sized } from '../../backup/sized.ts'
import { fileBytes } from '../../input.ts'
import { hostFlags } from '../../local/host-command.ts'
import { restoredView } from '../../views/backup.ts'

export default class BackupRestore extends BackupCommand<typeof BackupRestore> {
  static override summary = 'Restore a whole server from a backup, into an empty folder of this machine'
  static override description =
    'Needs no daemon, and refuses a folder that holds anything: a backup is never restored over a server. Everything ' +
    'is checked before the folder appears. Files of crews in containers become volumes of the engine, unless ' +
    '--without-crews is given. Do not run the restored server beside the original one on the same engine.'
  static override examples = [
    '$ <%= config.bin %> backup restore /mnt/backups/newest.muster.tar --key-file /safe/encryption.key',
    '$ <%= config.bin %> backup restore newest.muster.tar --to /srv/muster --identity-file key.txt',
    '$ <%= config.bin %> backup restore newest.muster.tar --dry-run --passphrase-file /etc/muster/backup.pass',
  ]
  static override next = {
    secret_wrong: 'muster backup inspect BUNDLE',
    key_missing: 'repeat the command with --key-file',
  }
  static override args = { bundle: Args.string({ required: true, description: 'file of the bundle' }) }
  static override flags = {
    ...hostFlags,
    ...openingFlags,
    to: Flags.string({ helpValue: 'FOLDER', description: 'data folder to make (default: that of the daemon)' }),
    'key-file': Flags.string({
      helpValue: 'FILE',
      description: 'copy of encryption.key, for a bundle that does not hold it',
    }),
    'without-crews': Flags.boolean({ description: 'leave out the files that crews work on' }),
    'dry-run': Flags.boolean({ description: 'check that it could be restored, and change nothing' }),
  }

  async run(): Promise<void> {
    this.requireHere()
    const { to } = this.flags
    const path = this.pathOf(this.args.bundle)
    const opening = await openingOf(this.flags, await this.ask('inspect', { path }, 'Reading'))
    const file = this.flags['key-file']
    const done = await this.ask(
      'restore',
      {
        path,
        ...opening,
        ...(to !== undefined && { to: resolve(to) }),
        ...(file !== undefined && { key: fileBytes(file).toString('utf8').trim() }),
        ...(this.flags['without-crews'] && { without_crews: true }),
        ...(this.flags['dry-run'] && { dry_run: true }),
      },
      'Restoring',
    )
    const said = done.dry_run
      ? `It can be restored: ${done.members} files, ${sized(done.bytes)}. Nothing was changed.`
      : `Restored the server of ${done.created_at} to ${done.path}.`
    await this.out.done(said, done, restoredView)
    if (done.key === 'missing')
      this.out.note(
        `The ENCRYPTION KEY is not there. Put encryption.key into ${done.path}, or set ENCRYPTION_KEY: the daemon ` +
          'does not start without it.',
        'red',
      )
  }
}
