import { Args, Flags } from '@oclif/core'
import { templateFile, templateFlags } from '../../bodies/templates.ts'
import { stagesIn } from '../../bodies/workflows.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { workflowId } from '../../lookup.ts'
import { workflowView } from '../../views/workflows.ts'

export default class WorkflowsUpdate extends ApiCommand<typeof WorkflowsUpdate> {
  static override summary = 'Change a workflow template'
  static override description = 'Changes only what is given. Those that come with Muster stay as they are.'
  static override examples = [
    '$ <%= config.bin %> workflows update ours --name theirs',
    '$ <%= config.bin %> workflows update ours --file stages.yaml',
  ]
  static override args = {
    template: Args.string({ required: true, description: 'name or id of the workflow template' }),
  }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    file: Flags.string(templateFile('a list of stages')),
    ...templateFlags,
  }

  async run(): Promise<void> {
    const { name, file, description, icon, color } = this.flags
    const template_json = await stagesIn(file)
    const changed = await this.api.workflows.update({
      workflowId: await workflowId(this.api, this.args.template),
      body: given({ name, template_json, description, icon, color }),
    })
    await this.out.done(`Changed workflow template ${changed.name}.`, changed, workflowView)
  }
}
