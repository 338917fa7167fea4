import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { limited, listFlags } from '../../../flags.ts'
import { agentId } from '../../../lookup.ts'
import { grantView } from '../../../views/managed.ts'

export default class IntegrationsManagedBindings extends ApiCommand<typeof IntegrationsManagedBindings> {
  static override summary = 'List what an agent was given of the provider'
  static override hiddenAliases = ['managed:grants']
  static override examples = ['$ <%= config.bin %> integrations managed bindings ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const { bindings } = await this.api.managed.grants({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.list(limited(bindings, this.flags), grantView)
  }
}
