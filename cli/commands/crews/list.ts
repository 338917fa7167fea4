import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { crewView } from '../../views/crews.ts'

export default class CrewsList extends ApiCommand<typeof CrewsList> {
  static override summary = 'List crews, newest first'
  static override examples = [
    '$ <%= config.bin %> crews',
    '$ <%= config.bin %> crews list --json=slug,name',
    "$ <%= config.bin %> crews list --jq '.[].slug'",
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.crews.list({ query })), crewView)
  }
}
