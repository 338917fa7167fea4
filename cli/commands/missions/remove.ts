import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { missionAt } from '../../lookup.ts'

export default class MissionsRemove extends ApiCommand<typeof MissionsRemove> {
  static override summary = 'Delete a mission with its tasks'
  static override description = 'Only from PLANNING or CANCELLED.'
  static override next = { mission_refused: 'muster missions update MISSION --status cancelled' }
  static override examples = ['$ <%= config.bin %> missions remove Relaunch']
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const at = await missionAt(this.api, this.args.mission)
    await this.confirm(`Delete the mission ${this.args.mission} with its tasks?`)
    await this.api.missions.remove(at)
    await this.out.done(`Deleted the mission ${this.args.mission}.`)
  }
}
