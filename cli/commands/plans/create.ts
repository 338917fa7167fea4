import { Args, Flags } from '@oclif/core'
import { templateFile, templateFlags } from '../../bodies/templates.ts'
import { planIn } from '../../bodies/workflows.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class PlansCreate extends ApiCommand<typeof PlansCreate> {
  static override summary = 'Create a step plan'
  static override description =
    'A step has an id and a title, and perhaps agent_role, depends_on (ids of other steps), max_iterations and ' +
    'loop_back_to (an earlier step).'
  static override examples = [
    '$ <%= config.bin %> plans create release --file plan.yaml',
    '$ <%= config.bin %> plans create release --file - < plan.json',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the step plan' }) }
  static override flags = {
    file: Flags.string({ required: true, ...templateFile('a list of steps') }),
    ...templateFlags,
  }

  async run(): Promise<void> {
    const { file, description, icon, color } = this.flags
    const { name } = this.args
    const template_json = await planIn(file)
    const made = await this.api.plans.create({ body: given({ name, template_json, description, icon, color }) })
    await this.out.done(`Created step plan ${name}.`, made)
  }
}
