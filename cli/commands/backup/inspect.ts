import { existsSync } from 'node:fs'
import { Args } from '@oclif/core'
import { BackupCommand } from '../../backup/host-work.ts'
import { manifestView } from '../../views/backup.ts'

export default class BackupInspect extends BackupCommand<typeof BackupInspect> {
  static override summary = 'Show what a backup holds, without opening it'
  static override description =
    'BUNDLE is a file of this machine, which needs no daemon, or else the name of one in the backup folder of the ' +
    'server.'
  static override examples = [
    '$ <%= config.bin %> backup inspect /mnt/backups/20261127T020000000Z-1a2b3c4d.muster.tar',
    '$ <%= config.bin %> backup inspect 20261127T020000000Z-1a2b3c4d.muster.tar --jq .contents.counts',
  ]
  static override next = { not_found: 'muster backup list' }
  static override args = { bundle: Args.string({ required: true, description: 'file or name of the bundle' }) }

  async run(): Promise<void> {
    const { bundle } = this.args
    const manifest = existsSync(bundle)
      ? await this.ask('inspect', { path: this.pathOf(bundle) }, 'Reading')
      : await this.api.backup.inspect({ query: { path: bundle } })
    await this.out.show(manifest, manifestView)
  }
}
