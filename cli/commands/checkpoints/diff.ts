import { Args } from '@oclif/core'
import { patience } from '../../checkpoints/patience.ts'
import { ApiCommand } from '../../command.ts'
import { clean } from '../../output/clean.ts'
import { wordOf } from '../../views/checkpoints.ts'

export default class CheckpointsDiff extends ApiCommand<typeof CheckpointsDiff> {
  static override summary = 'Show how the text of a file differs from a checkpoint'
  static override examples = ['$ <%= config.bin %> checkpoints diff cp_4f1c9a7be2d03356 /output/ada/src/app.ts']
  static override args = {
    checkpoint: Args.string({ required: true, description: 'checkpoint, such as cp_4f1c9a7be2d03356' }),
    path: Args.string({ required: true, description: 'file, as agents see it' }),
  }

  async run(): Promise<void> {
    const { checkpoint, path } = this.args
    const found = await this.api.checkpoints.diff({ checkpointId: checkpoint, query: { path } }, patience.changes)
    await this.out.item(found, clean(wordOf(found)))
  }
}
