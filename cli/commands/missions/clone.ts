import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { missionAt } from '../../lookup.ts'
import { movedView } from '../../views/missions.ts'

export default class MissionsClone extends ApiCommand<typeof MissionsClone> {
  static override summary = 'Create a mission with the same tasks'
  static override description = 'The copy is in PLANNING.'
  static override examples = ['$ <%= config.bin %> missions clone Relaunch']
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }

  async run(): Promise<void> {
    const moved = await this.api.missions.clone(await missionAt(this.api, this.args.mission))
    await this.out.done(`Created a copy of the mission ${this.args.mission}.`, moved, movedView)
  }
}
