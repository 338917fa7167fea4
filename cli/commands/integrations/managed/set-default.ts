import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { given } from '../../../flags.ts'
import { defaultView } from '../../../views/managed.ts'

export default class IntegrationsManagedSetDefault extends ApiCommand<typeof IntegrationsManagedSetDefault> {
  static override summary = 'Provide the default connector of the workspace'
  static override description =
    'One server for all that the user has connected. Agents use it once they are bound to it with its credential.'
  static override hiddenAliases = ['managed:set-default']
  static override examples = ['$ <%= config.bin %> integrations managed set-default ada']
  static override args = {
    user: Args.string({ description: 'user of the provider; may be left out where there is one' }),
  }

  async run(): Promise<void> {
    const body = given({ user_id: this.args.user })
    await this.out.done('Set the default connector.', await this.api.managed.setDefault({ body }), defaultView)
  }
}
