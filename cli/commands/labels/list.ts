import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { labelView } from '../../views/labels.ts'

export default class LabelsList extends ApiCommand<typeof LabelsList> {
  static override summary = 'List labels of issues, by name'
  static override examples = ['$ <%= config.bin %> labels', '$ <%= config.bin %> labels list --json=name,color']
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.labels.list({ query })), labelView)
  }
}
