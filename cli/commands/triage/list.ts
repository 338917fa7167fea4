import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { triageView } from '../../views/triage.ts'

export default class TriageList extends ApiCommand<typeof TriageList> {
  static override summary = 'List triage rules in the order in which they are tried'
  static override examples = ['$ <%= config.bin %> triage list']
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.triage.list({ query })), triageView)
  }
}
