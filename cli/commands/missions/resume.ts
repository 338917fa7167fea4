import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { missionAt } from '../../lookup.ts'
import { movedView } from '../../views/missions.ts'

export default class MissionsResume extends ApiCommand<typeof MissionsResume> {
  static override summary = 'Go on with a mission that failed'
  static override description = 'What is done stays done; the rest is tried again.'
  static override next = { mission_refused: 'muster missions show MISSION' }
  static override examples = ['$ <%= config.bin %> missions resume Relaunch']
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }

  async run(): Promise<void> {
    const moved = await this.api.missions.resume(await missionAt(this.api, this.args.mission))
    await this.out.done(`Resumed the mission ${this.args.mission}.`, moved, movedView)
  }
}
