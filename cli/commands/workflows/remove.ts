import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { workflowId } from '../../lookup.ts'

export default class WorkflowsRemove extends ApiCommand<typeof WorkflowsRemove> {
  static override summary = 'Delete a workflow template'
  static override examples = [
    '$ <%= config.bin %> workflows remove ours',
    '$ <%= config.bin %> workflows delete ours --yes',
  ]
  static override args = {
    template: Args.string({ required: true, description: 'name or id of the workflow template' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { template } = this.args
    const id = await workflowId(this.api, template)
    await this.confirm(`Delete workflow template ${template}?`)
    await this.api.workflows.remove({ workflowId: id })
    await this.out.done(`Deleted workflow template ${template}.`)
  }
}
