import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { missionAt } from '../../lookup.ts'
import { movedView } from '../../views/missions.ts'

export default class MissionsRestart extends ApiCommand<typeof MissionsRestart> {
  static override summary = 'Take a mission that is over back to PLANNING'
  static override description = 'All of its tasks are to be done again.'
  static override next = { mission_refused: 'muster missions show MISSION' }
  static override examples = ['$ <%= config.bin %> missions restart Relaunch']
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }

  async run(): Promise<void> {
    const moved = await this.api.missions.restart(await missionAt(this.api, this.args.mission))
    await this.out.done(`Took the mission ${this.args.mission} back to PLANNING.`, moved, movedView)
  }
}
