import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { given } from '../../../flags.ts'
import { agentId } from '../../../lookup.ts'

export default class IntegrationsManagedUnbind extends ApiCommand<typeof IntegrationsManagedUnbind> {
  static override summary = 'Take a toolkit of the provider from an agent, or all of them'
  static override hiddenAliases = ['managed:ungrant']
  static override examples = ['$ <%= config.bin %> integrations managed unbind ada --toolkit gmail']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = { toolkit: Flags.string({ description: 'only this one' }) }

  async run(): Promise<void> {
    const id = await agentId(this.api, this.args.agent)
    const reply = await this.api.managed.ungrant({ agentId: id, query: given({ toolkit: this.flags.toolkit }) })
    await this.out.done(`Took ${this.flags.toolkit ?? 'all toolkits'} from ${this.args.agent}.`, reply)
  }
}
