import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { backupView } from '../../views/backup.ts'

export default class BackupList extends ApiCommand<typeof BackupList> {
  static override summary = 'List the backups in the backup folder of the server, newest first'
  static override description = 'Requires the role ADMIN or OWNER in the first workspace of the server.'
  static override examples = ['$ <%= config.bin %> backup list', "$ <%= config.bin %> backup list --jq '.[0].path'"]
  static override flags = listFlags

  async run(): Promise<void> {
    await this.out.list(limited((await this.api.backup.list()).data, this.flags), backupView)
  }
}
