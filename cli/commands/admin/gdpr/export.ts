import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { writeNew } from '../../../files.ts'
import { personId } from '../../../lookup.ts'

export default class AdminGdprExport extends ApiCommand<typeof AdminGdprExport> {
  static override summary = 'Export what the workspace keeps about a person, as JSON'
  static override description =
    'What agents keep about them, versions of memory that they wrote, and items of the inbox that are for them, from ' +
    'them or settled by them. The export is on record. What belongs to an account, its owner exports with `muster ' +
    'account export`.'
  static override hiddenAliases = ['admin:export-data']
  static override examples = [
    '$ <%= config.bin %> admin gdpr export ada@example.com --to ada.json',
    '$ <%= config.bin %> admin gdpr export cm1user --jq .totals',
  ]
  static override next = { not_found: 'muster members list' }
  static override args = {
    user: Args.string({ required: true, description: 'email address of a member, or id of somebody who was one' }),
  }
  static override flags = {
    to: Flags.string({ helpValue: 'FILE', description: 'write to a new file that only you can read' }),
    force: Flags.boolean({ description: 'overwrite an existing file' }),
  }

  async run(): Promise<void> {
    const userId = await personId(this.api, workspaceInUse(this.session), this.args.user)
    const data = await this.progress('Collecting', this.api.admin.exportData({ userId }))
    const { to } = this.flags
    if (to === undefined) return this.out.value(data)
    writeNew(to, `${JSON.stringify(data, null, 2)}\n`, { force: this.flags.force, mode: 0o600 })
    await this.out.done(`Wrote ${to}.`)
  }
}
