import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { planId } from '../../lookup.ts'
import { planView } from '../../views/workflows.ts'

export default class PlansShow extends ApiCommand<typeof PlansShow> {
  static override summary = 'Show a step plan with its steps'
  static override examples = [
    '$ <%= config.bin %> plans show pipeline',
    '$ <%= config.bin %> plans show pipeline -o yaml',
  ]
  static override args = { template: Args.string({ required: true, description: 'name or id of the step plan' }) }

  async run(): Promise<void> {
    const id = await planId(this.api, this.args.template)
    await this.out.show(await this.api.plans.show({ planId: id }), planView)
  }
}
