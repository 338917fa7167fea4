import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { clean } from '../../output/clean.ts'

export default class CheckpointsRestore extends ApiCommand<typeof CheckpointsRestore> {
  static override summary = 'Show what has happened since a checkpoint'
  static override description =
    'It changes nothing. `muster checkpoints rewind` puts files back, `muster checkpoints fork` begins anew.'
  static override examples = ['$ <%= config.bin %> checkpoints restore cp_4f1c9a7be2d03356']
  static override args = {
    checkpoint: Args.string({ required: true, description: 'checkpoint, such as cp_4f1c9a7be2d03356' }),
  }

  async run(): Promise<void> {
    const { checkpoint } = this.args
    const found = await this.api.checkpoints.restore({ checkpointId: checkpoint })
    const { warn_divergence: since, journal_cursor } = found
    const said = since.length
      ? `Since entry ${journal_cursor}:\n${since.map((line) => `  ${line}`).join('\n')}`
      : `Nothing has happened since entry ${journal_cursor}.`
    await this.out.item(found, clean(said))
  }
}
