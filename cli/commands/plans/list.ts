import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { planView } from '../../views/workflows.ts'

export default class PlansList extends ApiCommand<typeof PlansList> {
  static override summary = 'List step plans, those that come with Muster first'
  static override examples = ['$ <%= config.bin %> plans', '$ <%= config.bin %> plans list --json=name,template_json']
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.plans.list({ query })), planView)
  }
}
