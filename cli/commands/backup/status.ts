import { ApiCommand } from '../../command.ts'
import { backupStatusView } from '../../views/backup.ts'

export default class BackupStatus extends ApiCommand<typeof BackupStatus> {
  static override summary = 'Show whether a backup is being made, and when the last one was'
  static override description = 'Requires the role ADMIN or OWNER in the first workspace of the server.'
  static override examples = [
    '$ <%= config.bin %> backup status',
    '$ <%= config.bin %> backup status --jq .last.created_at',
  ]

  async run(): Promise<void> {
    await this.out.show(await this.api.backup.status(), backupStatusView)
  }
}
