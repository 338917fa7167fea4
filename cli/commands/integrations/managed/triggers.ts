import { Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { given, listFlags, onePage } from '../../../flags.ts'
import { describedView } from '../../../views/managed.ts'

export default class IntegrationsManagedTriggers extends ApiCommand<typeof IntegrationsManagedTriggers> {
  static override summary = 'List the kinds of triggers of the provider'
  static override description = 'The server gives 40, with --limit 100 at most.'
  static override hiddenAliases = ['managed:triggers']
  static override examples = ['$ <%= config.bin %> integrations managed triggers --toolkit gmail']
  static override flags = {
    toolkit: Flags.string({ description: 'only of this toolkit' }),
    search: Flags.string({ description: 'only those with this in the name' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const query = given({ toolkit: this.flags.toolkit, search: this.flags.search, ...onePage(this.flags, 100) })
    await this.out.list((await this.api.managed.triggers({ query })).triggers, describedView)
  }
}
