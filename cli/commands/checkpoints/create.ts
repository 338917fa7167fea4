import { Args, Flags } from '@oclif/core'
import { patience } from '../../checkpoints/patience.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { missionId } from '../../lookup.ts'
import { checkpointView } from '../../views/checkpoints.ts'

export default class CheckpointsCreate extends ApiCommand<typeof CheckpointsCreate> {
  static override summary = 'Make a checkpoint of an issue or a mission, and of the files of its crew'
  static override examples = ['$ <%= config.bin %> checkpoints create WEB-12 --label "before the rewrite"']
  static override args = {
    mission: Args.string({ required: true, description: 'issue, such as WEB-12, or mission' }),
  }
  static override flags = { label: Flags.string({ description: 'what to call it' }) }

  async run(): Promise<void> {
    const made = await this.progress('Making a checkpoint', async () =>
      this.api.checkpoints.create(
        { missionId: await missionId(this.api, this.args.mission), body: given({ label: this.flags.label }) },
        patience.mark,
      ),
    )
    await this.out.done(`Made checkpoint ${made.id}.`, made, checkpointView)
    const { state, reason } = made.state.meta?.files ?? {}
    if (state === 'failed')
      this.out.note(`Its files are not marked, so that they cannot be put back: ${reason}`, 'yellow')
  }
}
