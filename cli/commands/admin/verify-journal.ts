import { exits } from '../../failure.ts'
import { HostCommand, hostFlags } from '../../local/host-command.ts'
import { journalsView } from '../../views/journal-proof.ts'

export default class AdminVerifyJournal extends HostCommand<typeof AdminVerifyJournal> {
  static override summary = 'Check the journals of all workspaces'
  static override description =
    'What `muster journal verify` does for one workspace, for the whole server. No daemon may be running. With ' +
    'the encryption key at hand the seals are checked too. Ends with 1 when something does not hold.'
  static override examples = [
    '$ <%= config.bin %> admin verify-journal',
    '$ <%= config.bin %> admin verify-journal --json --jq .valid',
  ]
  static override flags = hostFlags

  async run(): Promise<void> {
    const { valid, journals, stray } = await this.ask('verify-journal', {})
    await this.out.list(journals, journalsView, { valid, journals, stray })
    if (stray) this.out.note(`${stray} places in the journal belong to no workspace, or are empty.`, 'red')
    if (!valid) this.finish(exits.other)
  }
}
