import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags, onePage } from '../../flags.ts'
import { missionId } from '../../lookup.ts'
import { checkpointView } from '../../views/checkpoints.ts'

export default class CheckpointsList extends ApiCommand<typeof CheckpointsList> {
  static override summary = 'List the checkpoints of an issue or a mission, newest first'
  static override examples = ['$ <%= config.bin %> checkpoints list WEB-12']
  static override args = {
    mission: Args.string({ required: true, description: 'issue, such as WEB-12, or mission' }),
  }
  static override flags = listFlags

  async run(): Promise<void> {
    const id = await missionId(this.api, this.args.mission)
    const { checkpoints } = await this.api.checkpoints.list({ missionId: id, query: onePage(this.flags, 200) })
    await this.out.list(limited(checkpoints, this.flags), checkpointView)
  }
}
