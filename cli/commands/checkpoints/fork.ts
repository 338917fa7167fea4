import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class CheckpointsFork extends ApiCommand<typeof CheckpointsFork> {
  static override summary = 'Begin a new mission with the plan and the tasks of a checkpoint'
  static override description = 'All of its tasks wait to be done again. The files of the crew stay as they are.'
  static override examples = ['$ <%= config.bin %> checkpoints fork cp_4f1c9a7be2d03356 --label "another way"']
  static override args = {
    checkpoint: Args.string({ required: true, description: 'checkpoint, such as cp_4f1c9a7be2d03356' }),
  }
  static override flags = { label: Flags.string({ description: 'what to call the checkpoint of the new mission' }) }

  async run(): Promise<void> {
    const { checkpoint } = this.args
    const made = await this.api.checkpoints.fork({
      checkpointId: checkpoint,
      body: given({ label: this.flags.label }),
    })
    await this.out.done(`Began mission ${made.new_mission_id}.`, made)
  }
}
