import { Args, Flags } from '@oclif/core'
import { colorFlag } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { labelView } from '../../views/labels.ts'

export default class LabelsCreate extends ApiCommand<typeof LabelsCreate> {
  static override summary = 'Create a label for issues'
  static override examples = [
    "$ <%= config.bin %> labels create bug --color '#e11d48'",
    "$ <%= config.bin %> labels create web --color '#06f' --group area",
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the label' }) }
  static override flags = {
    color: colorFlag('color of the label; a gray one unless given'),
    group: Flags.string({ description: 'labels of one group are shown together' }),
  }

  async run(): Promise<void> {
    const { color = '#6b7280', group } = this.flags
    const made = await this.api.labels.create({
      body: given({ name: this.args.name, color, label_group: group }),
    })
    await this.out.done(`Created label ${made.name}.`, made, labelView)
  }
}
