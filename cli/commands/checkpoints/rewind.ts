import { Args, Flags } from '@oclif/core'
import { differences } from '../../checkpoints/differences.ts'
import { patience } from '../../checkpoints/patience.ts'
import { ApiCommand } from '../../command.ts'
import { given, yesFlag } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { changeView, summaryOf } from '../../views/checkpoints.ts'

export default class CheckpointsRewind extends ApiCommand<typeof CheckpointsRewind> {
  static override summary = "Put the crew's files back to a checkpoint"
  static override description =
    'It shows what differs and asks. No run of the crew may be open; runs that begin meanwhile wait. How the files ' +
    'are now is made a checkpoint first, so that a rewind can be rewound.'
  static override examples = [
    '$ <%= config.bin %> checkpoints rewind cp_4f1c9a7be2d03356 --crew web-team',
    '$ <%= config.bin %> checkpoints rewind cp_4f1c9a7be2d03356 --yes',
    '$ <%= config.bin %> checkpoints rewind cp_4f1c9a7be2d03356 --dry-run',
  ]
  static override args = {
    checkpoint: Args.string({ required: true, description: 'checkpoint, such as cp_4f1c9a7be2d03356' }),
  }
  static override flags = {
    crew: Flags.string({ description: 'crew that it must be' }),
    diff: Flags.boolean({ description: 'show how texts differ, of the first hundred files' }),
    ...yesFlag,
  }

  async run(): Promise<void> {
    const { checkpoint } = this.args
    const { crew, diff } = this.flags
    const crew_id = crew && (await crewId(this.api, crew))
    const since = await this.progress('Comparing files', () =>
      this.api.checkpoints.files({ checkpointId: checkpoint, query: {} }, patience.changes),
    )
    if (this.out.wanted.format === 'auto') {
      await this.out.list(since.files, changeView)
      if (diff) this.out.text(await differences(this.api, checkpoint, since.files))
    }
    await this.confirm(`Put the files of the crew back to ${checkpoint}? Differing: ${summaryOf(since)}.`)
    const done = await this.progress('Putting files back', () =>
      this.api.checkpoints.rewind(
        { checkpointId: checkpoint, body: given({ crew_id: crew_id || undefined }) },
        patience.rewind,
      ),
    )
    const undo = `How they were is checkpoint ${done.before_checkpoint_id}.`
    await this.out.done(`Put the files back: ${done.written} written, ${done.removed} removed. ${undo}`, done)
  }
}
