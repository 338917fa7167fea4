import { ApiCommand } from '../../../command.ts'
import { limited, listFlags } from '../../../flags.ts'
import { activeView } from '../../../views/managed.ts'

export default class IntegrationsManagedActiveTriggers extends ApiCommand<typeof IntegrationsManagedActiveTriggers> {
  static override summary = 'List the triggers that are active'
  static override hiddenAliases = ['managed:active-triggers']
  static override examples = ['$ <%= config.bin %> integrations managed active-triggers']
  static override flags = listFlags

  async run(): Promise<void> {
    const { triggers } = await this.api.managed.activeTriggers({})
    await this.out.list(limited(triggers, this.flags), activeView)
  }
}
