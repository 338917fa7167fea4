import { Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { given, listFlags, onePage } from '../../../flags.ts'
import { toolkitView } from '../../../views/managed.ts'

export default class IntegrationsManagedToolkits extends ApiCommand<typeof IntegrationsManagedToolkits> {
  static override summary = 'List the toolkits of the provider'
  static override description = 'The server gives 40, with --limit 100 at most.'
  static override hiddenAliases = ['managed:toolkits']
  static override examples = ['$ <%= config.bin %> integrations managed toolkits --search mail']
  static override flags = {
    search: Flags.string({ description: 'only those with this in the name' }),
    category: Flags.string({ description: 'only of this category' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { search, category } = this.flags
    const query = given({ search, category, ...onePage(this.flags, 100) })
    await this.out.list((await this.api.managed.toolkits({ query })).toolkits, toolkitView)
  }
}
