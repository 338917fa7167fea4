import { Flags } from '@oclif/core'
import { missionStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { missionView } from '../../views/missions.ts'

export default class MissionsList extends ApiCommand<typeof MissionsList> {
  static override summary = 'List missions, newest first'
  static override examples = [
    '$ <%= config.bin %> missions',
    '$ <%= config.bin %> missions list --crew web-team --status IN_PROGRESS',
    '$ <%= config.bin %> missions list --json=id,title,status',
  ]
  static override flags = {
    crew: Flags.string({ description: 'only missions of this crew' }),
    status: Flags.string({
      helpValue: 'LIST',
      description: `only missions with one of these: ${missionStatuses.join(', ')}`,
    }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { crew, status } = this.flags
    const query = given({ status: status?.toUpperCase() })
    const id = crew && (await crewId(this.api, crew))
    const page = (window: object) =>
      id
        ? this.api.missions.ofCrew({ crewId: id, query: { ...query, ...window } })
        : this.api.missions.list({ query: { ...query, ...window, mission_type: 'orchestration' } })
    await this.out.list(await windowed(this.flags, page, 200), missionView)
  }
}
