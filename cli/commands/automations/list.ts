import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { automationView } from '../../views/automations.ts'

export default class AutomationsList extends ApiCommand<typeof AutomationsList> {
  static override summary = 'List automations, newest first'
  static override examples = ['$ <%= config.bin %> automations list']
  static override flags = listFlags

  async run(): Promise<void> {
    const { automations } = await this.api.automations.list({})
    await this.out.list(limited(automations, this.flags), automationView)
  }
}
