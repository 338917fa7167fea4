import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, yesFlag } from '../../flags.ts'
import { confirm } from '../../input.ts'
import { rotatedView } from '../../views/backup.ts'

export default class BackupRotate extends ApiCommand<typeof BackupRotate> {
  static override summary = 'Delete old backups of this server from its backup folder'
  static override description =
    'Keeps the newest ones and those of the last days; the newest one always stays, and so does what cannot be read. ' +
    'Requires the role ADMIN or OWNER in the first workspace of the server.'
  static override examples = [
    '$ <%= config.bin %> backup rotate --keep-last 7 --preview',
    '$ <%= config.bin %> backup rotate --keep-last 7 --keep-days 30 --yes',
  ]
  static override flags = {
    ...yesFlag,
    'keep-last': Flags.integer({ min: 1, helpValue: 'N', description: 'how many to keep' }),
    'keep-days': Flags.integer({ min: 1, helpValue: 'N', description: 'also keep those of so many days' }),
    preview: Flags.boolean({ description: 'show what would be deleted, and delete nothing' }),
  }

  async run(): Promise<void> {
    const { preview, yes, 'keep-last': keep_last, 'keep-days': keep_days } = this.flags
    if (!preview) await confirm('Delete old backups?', yes)
    const body = given({ keep_last, keep_days, dry_run: preview || undefined })
    const done = await this.api.backup.rotate({ body })
    const count = `${done.deleted.length} ${done.deleted.length === 1 ? 'backup' : 'backups'}`
    await this.out.done(preview ? `${count} would be deleted.` : `Deleted ${count}.`, done, rotatedView)
  }
}
