import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { labelId } from '../../lookup.ts'

export default class LabelsRemove extends ApiCommand<typeof LabelsRemove> {
  static override summary = 'Delete a label, and take it off all issues'
  static override examples = ['$ <%= config.bin %> labels remove bug', '$ <%= config.bin %> labels rm bug --yes']
  static override args = { label: Args.string({ required: true, description: 'name or id of the label' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { label } = this.args
    const id = await labelId(this.api, label)
    await this.confirm(`Delete label ${label} and take it off all issues?`)
    await this.api.labels.remove({ labelId: id })
    await this.out.done(`Deleted label ${label}.`)
  }
}
