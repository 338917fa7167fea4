import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class CheckpointsRemove extends ApiCommand<typeof CheckpointsRemove> {
  static override summary = 'Delete a checkpoint'
  static override description = 'The files that it marks are kept as long as another checkpoint names them.'
  static override aliases = ['checkpoints:delete']
  static override examples = ['$ <%= config.bin %> checkpoints remove cp_4f1c9a7be2d03356']
  static override args = {
    checkpoint: Args.string({ required: true, description: 'checkpoint, such as cp_4f1c9a7be2d03356' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { checkpoint } = this.args
    await this.confirm(`Delete checkpoint ${checkpoint}? The files can then not be put back to it.`)
    await this.api.checkpoints.remove({ checkpointId: checkpoint })
    await this.out.done(`Deleted checkpoint ${checkpoint}.`)
  }
}
