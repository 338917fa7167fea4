import { Args, Flags } from '@oclif/core'
import { differences } from '../../checkpoints/differences.ts'
import { patience } from '../../checkpoints/patience.ts'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags, onePage } from '../../flags.ts'
import { changeView, summaryOf } from '../../views/checkpoints.ts'

export default class CheckpointsFiles extends ApiCommand<typeof CheckpointsFiles> {
  static override summary = "List which of the crew's files differ from a checkpoint"
  static override examples = [
    '$ <%= config.bin %> checkpoints files cp_4f1c9a7be2d03356',
    '$ <%= config.bin %> checkpoints files cp_4f1c9a7be2d03356 --diff',
  ]
  static override args = {
    checkpoint: Args.string({ required: true, description: 'checkpoint, such as cp_4f1c9a7be2d03356' }),
  }
  static override flags = {
    diff: Flags.boolean({ description: 'show how texts differ, of the first hundred files' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { checkpoint } = this.args
    const since = await this.progress('Comparing files', () =>
      this.api.checkpoints.files({ checkpointId: checkpoint, query: onePage(this.flags, 2000) }, patience.changes),
    )
    await this.out.list(limited(since.files, this.flags), changeView)
    if (this.out.wanted.format !== 'auto') return
    if (since.truncated) this.out.text(`${summaryOf(since)} in all.\n`)
    if (this.flags.diff) this.out.text(await differences(this.api, checkpoint, since.files))
  }
}
