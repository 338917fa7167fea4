import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workflowId } from '../../lookup.ts'
import { workflowView } from '../../views/workflows.ts'

export default class WorkflowsShow extends ApiCommand<typeof WorkflowsShow> {
  static override summary = 'Show a workflow template with its stages'
  static override examples = [
    '$ <%= config.bin %> workflows show Standard',
    '$ <%= config.bin %> workflows show Standard -o yaml',
  ]
  static override args = {
    template: Args.string({ required: true, description: 'name or id of the workflow template' }),
  }

  async run(): Promise<void> {
    const id = await workflowId(this.api, this.args.template)
    await this.out.show(await this.api.workflows.show({ workflowId: id }), workflowView)
  }
}
