import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { confirm } from '../../input.ts'

export default class BackupRemove extends ApiCommand<typeof BackupRemove> {
  static override summary = 'Delete a backup from the backup folder of the server'
  static override description = 'Requires the role ADMIN or OWNER in the first workspace of the server.'
  static override examples = [
    '$ <%= config.bin %> backup remove 20261127T020000000Z-1a2b3c4d.muster.tar',
    '$ <%= config.bin %> backup remove 20261127T020000000Z-1a2b3c4d.muster.tar --yes',
  ]
  static override next = { not_found: 'muster backup list' }
  static override args = { bundle: Args.string({ required: true, description: 'path or name of the bundle' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { bundle } = this.args
    await confirm(`Delete the backup ${bundle}?`, this.flags.yes)
    await this.api.backup.remove({ query: { path: bundle } })
    await this.out.done(`Deleted ${bundle}.`)
  }
}
