import { exits } from '../../failure.ts'
import { HostCommand, hostFlags } from '../../local/host-command.ts'
import { machine } from '../../output/format.ts'
import { journalsView } from '../../views/journal-proof.ts'

export default class AdminVerifyJournal extends HostCommand<typeof AdminVerifyJournal> {
  static override summary = 'Check the journals of all workspaces'
  static override description =
    'Does for the whole server what `muster journal verify` does for one workspace. No daemon may be running. ' +
    'Also checks the seals if the encryption key is available. Exits with 1 if a check fails.'
  static override examples = [
    '$ <%= config.bin %> admin verify-journal',
    '$ <%= config.bin %> admin verify-journal --json --jq .valid',
  ]
  static override flags = hostFlags

  async run(): Promise<void> {
    const found = await this.ask('verify-journal', {})
    const { valid, journals, stray } = found
    // For programs it is one verdict; people see it journal by journal.
    if (machine(this.out.wanted)) await this.out.value(found)
    else await this.out.list(journals, journalsView)
    if (stray) this.out.note(`${stray} places in the journal belong to no workspace, or are empty.`, 'red')
    if (!valid) this.finish(exits.other)
  }
}
