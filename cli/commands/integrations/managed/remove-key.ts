import { ApiCommand } from '../../../command.ts'
import { yesFlag } from '../../../flags.ts'
import { confirm } from '../../../input.ts'
import { settingsView } from '../../../views/managed.ts'

export default class IntegrationsManagedRemoveKey extends ApiCommand<typeof IntegrationsManagedRemoveKey> {
  static override summary = "Delete the workspace's own key for the provider"
  static override description =
    'The key of the server is used then. Where there is none, what agents were given goes, too.'
  static override hiddenAliases = ['managed:remove-settings']
  static override examples = ['$ <%= config.bin %> integrations managed remove-key']
  static override flags = yesFlag

  async run(): Promise<void> {
    await confirm("Delete the workspace's own key?", this.flags.yes)
    await this.out.done('Deleted the key.', await this.api.managed.removeSettings({}), settingsView)
  }
}
