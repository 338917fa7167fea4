import { ApiCommand } from '../../../command.ts'
import { defaultView } from '../../../views/managed.ts'

export default class IntegrationsManagedDefault extends ApiCommand<typeof IntegrationsManagedDefault> {
  static override summary = 'Show the default connector of the workspace'
  static override hiddenAliases = ['managed:default']
  static override examples = ['$ <%= config.bin %> integrations managed default']

  async run(): Promise<void> {
    await this.out.show(await this.api.managed.default({}), defaultView)
  }
}
