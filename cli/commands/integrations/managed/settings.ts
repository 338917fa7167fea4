import { ApiCommand } from '../../../command.ts'
import { settingsView } from '../../../views/managed.ts'

export default class IntegrationsManagedSettings extends ApiCommand<typeof IntegrationsManagedSettings> {
  static override summary = 'Show whose key is used for the provider'
  static override hiddenAliases = ['managed:settings']
  static override examples = ['$ <%= config.bin %> integrations managed settings']

  async run(): Promise<void> {
    await this.out.show(await this.api.managed.settings({}), settingsView)
  }
}
