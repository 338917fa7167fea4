import { Args, Flags } from '@oclif/core'
import { descriptionFlag, textOf } from '../../bodies/missions.ts'
import { ApiCommand } from '../../command.ts'
import { given, oneOf } from '../../flags.ts'
import { missionAt } from '../../lookup.ts'
import { missionView } from '../../views/missions.ts'

export default class MissionsUpdate extends ApiCommand<typeof MissionsUpdate> {
  static override summary = 'Change a mission, complete or cancel it'
  static override description =
    'Completing is for a mission in REVIEW. Cancelling ends the agents that are at work on it.'
  static override next = { mission_refused: 'muster missions show MISSION' }
  static override examples = [
    '$ <%= config.bin %> missions update Relaunch --status completed',
    '$ <%= config.bin %> missions update Relaunch --status cancelled',
    '$ <%= config.bin %> missions update Relaunch --title "Relaunch 2"',
  ]
  static override args = { mission: Args.string({ required: true, description: 'title or id of the mission' }) }
  static override flags = {
    title: Flags.string({ description: 'new title' }),
    description: descriptionFlag('mission'),
    plan: Flags.string({ helpValue: 'TEXT', description: 'notes about the plan; @FILE reads a file' }),
    status: oneOf(['COMPLETED', 'CANCELLED'], { description: 'approve what was done, or end the mission' }),
  }

  async run(): Promise<void> {
    const { title, description, plan, status } = this.flags
    const mission = await this.api.missions.update({
      ...(await missionAt(this.api, this.args.mission)),
      body: given({ title, description: await textOf(description), plan: await textOf(plan), status }),
    })
    await this.out.done(`Changed the mission ${mission.title}.`, mission, missionView)
  }
}
