import { existsSync } from 'node:fs'
import { Args } from '@oclif/core'
import { BackupCommand } from '../../backup/host-work.ts'
import { openingFlags, openingOf } from '../../backup/secrets.ts'
import { exits } from '../../failure.ts'
import { manifestView } from '../../views/backup.ts'

/** As long as it takes to read the largest. */
const patienceMs = 3_600_000

export default class BackupVerify extends BackupCommand<typeof BackupVerify> {
  static override summary = 'Check every byte of a backup'
  static override description =
    'BUNDLE is a file of this machine, which needs no daemon, or else the name of one in the backup folder of the ' +
    'server. Sums need no secret; with one, a file of this machine is also opened and each file inside is checked. ' +
    'Exits with 1 if a check fails.'
  static override examples = [
    '$ <%= config.bin %> backup verify 20261127T020000000Z-1a2b3c4d.muster.tar',
    '$ <%= config.bin %> backup verify ./copy.muster.tar --passphrase-file /etc/muster/backup.pass',
  ]
  static override next = { not_found: 'muster backup list' }
  static override args = { bundle: Args.string({ required: true, description: 'file or name of the bundle' }) }
  static override flags = openingFlags

  async run(): Promise<void> {
    const { bundle } = this.args
    if (existsSync(bundle)) return this.here(this.pathOf(bundle))
    const { valid, manifest, error } = await this.progress(
      'Checking',
      this.api.backup.verify({ query: { path: bundle } }, { timeout: patienceMs }),
    )
    if (!valid) this.out.note(`${bundle} is not sound: ${error}`, 'red')
    if (manifest) await this.out.show(manifest, manifestView)
    if (!valid) this.finish(exits.other)
    else this.out.note('Every byte is the one that was written. Its content was not opened.', 'dim')
  }

  private async here(path: string): Promise<void> {
    const known = await this.ask('inspect', { path }, 'Reading')
    const opening = await openingOf(this.flags, known)
    const { manifest, members } = await this.ask('verify', { path, ...opening }, 'Checking')
    await this.out.show(manifest, manifestView)
    this.out.note(
      members === null
        ? 'Every byte is the one that was written. Its content was not opened: no secret was given.'
        : `Every byte is the one that was written, and ${members} files inside fit their sums.`,
      'dim',
    )
  }
}
