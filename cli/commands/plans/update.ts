import { Args, Flags } from '@oclif/core'
import { templateFile, templateFlags } from '../../bodies/templates.ts'
import { planIn } from '../../bodies/workflows.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { planId } from '../../lookup.ts'

export default class PlansUpdate extends ApiCommand<typeof PlansUpdate> {
  static override summary = 'Change a step plan'
  static override description = 'Changes only what is given. Those that come with Muster stay as they are.'
  static override examples = [
    '$ <%= config.bin %> plans update release --name ship',
    '$ <%= config.bin %> plans update release --file plan.yaml',
  ]
  static override args = { template: Args.string({ required: true, description: 'name or id of the step plan' }) }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    file: Flags.string(templateFile('a list of steps')),
    ...templateFlags,
  }

  async run(): Promise<void> {
    const { name, file, description, icon, color } = this.flags
    const template_json = file === undefined ? undefined : await planIn(file)
    const changed = await this.api.plans.update({
      planId: await planId(this.api, this.args.template),
      body: given({ name, template_json, description, icon, color }),
    })
    await this.out.done(`Changed step plan ${this.args.template}.`, changed)
  }
}
