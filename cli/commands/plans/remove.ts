import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { planId } from '../../lookup.ts'

export default class PlansRemove extends ApiCommand<typeof PlansRemove> {
  static override summary = 'Delete a step plan'
  static override examples = ['$ <%= config.bin %> plans remove ours', '$ <%= config.bin %> plans delete ours --yes']
  static override args = { template: Args.string({ required: true, description: 'name or id of the step plan' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { template } = this.args
    const id = await planId(this.api, template)
    await this.confirm(`Delete step plan ${template}?`)
    await this.api.plans.remove({ planId: id })
    await this.out.done(`Deleted step plan ${template}.`)
  }
}
