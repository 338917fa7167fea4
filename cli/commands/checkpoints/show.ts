import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { checkpointView } from '../../views/checkpoints.ts'

export default class CheckpointsShow extends ApiCommand<typeof CheckpointsShow> {
  static override summary = 'Show a checkpoint'
  static override examples = ['$ <%= config.bin %> checkpoints show cp_4f1c9a7be2d03356']
  static override args = {
    checkpoint: Args.string({ required: true, description: 'checkpoint, such as cp_4f1c9a7be2d03356' }),
  }

  async run(): Promise<void> {
    const { checkpoint } = this.args
    await this.out.show(await this.api.checkpoints.show({ checkpointId: checkpoint }), checkpointView)
  }
}
