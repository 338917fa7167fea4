import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { missionAt } from '../../lookup.ts'
import { missionView } from '../../views/missions.ts'

export default class MissionsShow extends ApiCommand<typeof MissionsShow> {
  static override summary = 'Show a mission with its tasks'
  static override examples = [
    '$ <%= config.bin %> missions show Relaunch',
    "$ <%= config.bin %> missions show Relaunch --jq '.tasks[] | [.title, .status]'",
  ]
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.missions.show(await missionAt(this.api, this.args.mission)), missionView)
  }
}
