import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { given, listFlags, onePage } from '../../../flags.ts'
import { describedView } from '../../../views/managed.ts'

export default class IntegrationsManagedTools extends ApiCommand<typeof IntegrationsManagedTools> {
  static override summary = 'List the tools of a toolkit'
  static override description = 'The server gives 40, with --limit 100 at most.'
  static override hiddenAliases = ['managed:tools']
  static override examples = ['$ <%= config.bin %> integrations managed tools gmail']
  static override args = { toolkit: Args.string({ required: true, description: 'slug of the toolkit' }) }
  static override flags = { search: Flags.string({ description: 'only those with this in the name' }), ...listFlags }

  async run(): Promise<void> {
    const query = { toolkit: this.args.toolkit, ...given({ search: this.flags.search, ...onePage(this.flags, 100) }) }
    await this.out.list((await this.api.managed.tools({ query })).tools, describedView)
  }
}
