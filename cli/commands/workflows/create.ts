import { Args, Flags } from '@oclif/core'
import { templateFile, templateFlags } from '../../bodies/templates.ts'
import { stagesIn } from '../../bodies/workflows.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { workflowView } from '../../views/workflows.ts'

export default class WorkflowsCreate extends ApiCommand<typeof WorkflowsCreate> {
  static override summary = 'Create a workflow template'
  static override description =
    'A stage has a name, a type (open, started, completed or cancelled), a position and perhaps a color. Exactly one ' +
    'stage is open, at least one is completed, and names and positions are unique.'
  static override examples = [
    '$ <%= config.bin %> workflows create ours --file stages.yaml',
    '$ <%= config.bin %> workflows create ours --file - < stages.json',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the workflow template' }) }
  static override flags = {
    file: Flags.string({ required: true, ...templateFile('a list of stages') }),
    ...templateFlags,
  }

  async run(): Promise<void> {
    const { file, description, icon, color } = this.flags
    const template_json = (await stagesIn(file))!
    const made = await this.api.workflows.create({
      body: given({ name: this.args.name, template_json, description, icon, color }),
    })
    await this.out.done(`Created workflow template ${made.name}.`, made, workflowView)
  }
}
