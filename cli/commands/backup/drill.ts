import { Flags } from '@oclif/core'
import { BackupCommand } from '../../backup/host-work.ts'
import { openingFlags, openingOf } from '../../backup/secrets.ts'
import { exits } from '../../failure.ts'
import { fileBytes } from '../../input.ts'
import { hostFlags } from '../../local/host-command.ts'
import { span } from '../../output/cell.ts'
import { machine } from '../../output/format.ts'
import { checkView } from '../../views/backup.ts'

export default class BackupDrill extends BackupCommand<typeof BackupDrill> {
  static override summary = 'Prove that the newest backup restores, and say what would be lost now'
  static override description =
    'Restores it into a scratch folder, starts a daemon on it that reaches nothing, compares counts and journal ' +
    'with what was backed up, and removes it again. The server itself is only read, and may go on working. Exits ' +
    'with 1 if a check fails.'
  static override examples = [
    '$ <%= config.bin %> backup drill --passphrase-file /etc/muster/backup.pass',
    '$ <%= config.bin %> backup drill --bundle /mnt/backups/newest.muster.tar --identity-file key.txt --json',
  ]
  static override next = { no_backup: 'muster backup create' }
  static override flags = {
    ...hostFlags,
    ...openingFlags,
    bundle: Flags.string({ helpValue: 'FILE', description: 'another bundle than the newest one' }),
    'key-file': Flags.string({
      helpValue: 'FILE',
      description: 'copy of encryption.key to try, instead of the one of this server',
    }),
    scratch: Flags.string({ helpValue: 'FOLDER', description: 'where to restore it (default: the temporary folder)' }),
  }

  async run(): Promise<void> {
    this.requireHere()
    const { bundle, scratch, 'key-file': file } = this.flags
    const path =
      bundle === undefined ? (await this.ask('newest', {}, 'Looking for the newest backup')).path : this.pathOf(bundle)
    const opening = await openingOf(this.flags, await this.ask('inspect', { path }, 'Reading'))
    const found = await this.ask(
      'drill',
      {
        path,
        ...opening,
        ...(scratch !== undefined && { scratch: this.pathOf(scratch) }),
        ...(file !== undefined && { key: fileBytes(file).toString('utf8').trim() }),
      },
      'Restoring',
    )
    if (machine(this.out.wanted)) await this.out.value(found)
    else {
      await this.out.list(found.checks, checkView)
      this.out.note(lossOf(found))
      for (const warning of found.warnings) this.out.note(`${warning}.`, 'yellow')
    }
    if (!found.passed) this.finish(exits.other)
  }
}

function lossOf({
  age_seconds,
  lost: { entries, counts },
}: {
  age_seconds: number
  lost: { entries: number; counts: object }
}) {
  const rows = Object.entries(counts).filter(([name]) => name !== 'journal_entries')
  const what = rows.map(([name, count]) => `${count} ${name}`).join(', ')
  const lead = `If this machine died now, the last ${span(age_seconds)} would be lost`
  return entries
    ? `${lead}: ${entries} entries of the journal${what ? `, ${what}` : ''}.`
    : `${lead}, in which nothing was stored.`
}
