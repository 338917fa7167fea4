import { Args, Flags } from '@oclif/core'
import { colorFlag } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { labelId } from '../../lookup.ts'
import { labelView } from '../../views/labels.ts'

export default class LabelsUpdate extends ApiCommand<typeof LabelsUpdate> {
  static override summary = 'Change a label, on all issues that have it'
  static override examples = [
    '$ <%= config.bin %> labels update bug --name defect',
    "$ <%= config.bin %> labels update bug --color '#e11d48'",
  ]
  static override args = { label: Args.string({ required: true, description: 'name or id of the label' }) }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    color: colorFlag('new color'),
    group: Flags.string({ description: 'labels of one group are shown together; empty for none' }),
  }

  async run(): Promise<void> {
    const { name, color, group } = this.flags
    const label = await this.api.labels.update({
      labelId: await labelId(this.api, this.args.label),
      body: given({ name, color, label_group: group }),
    })
    await this.out.done(`Changed label ${label.name}.`, label, labelView)
  }
}
