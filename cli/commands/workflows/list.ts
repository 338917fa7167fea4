import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { workflowView } from '../../views/workflows.ts'

export default class WorkflowsList extends ApiCommand<typeof WorkflowsList> {
  static override summary = 'List workflow templates, those that come with Muster first'
  static override examples = [
    '$ <%= config.bin %> workflows',
    '$ <%= config.bin %> workflows list --json=name,template_json',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.workflows.list({ query })), workflowView)
  }
}
