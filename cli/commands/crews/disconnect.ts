import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { crewConnectionId, crewId } from '../../lookup.ts'

export default class CrewsDisconnect extends ApiCommand<typeof CrewsDisconnect> {
  static override summary = 'Remove the connection of two crews'
  static override description = 'What was handed over before goes on.'
  static override examples = ['$ <%= config.bin %> crews disconnect web-team research']
  static override args = {
    crew: Args.string({ required: true, description: 'slug or id of a crew' }),
    other: Args.string({ required: true, description: 'slug or id of the other crew' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { crew, other } = this.args
    const ends = [await crewId(this.api, crew), await crewId(this.api, other)] as const
    const connectionId = await crewConnectionId(this.api, ...ends)
    await this.confirm(`Disconnect crews ${crew} and ${other}?`)
    await this.api.crews.disconnect({ connectionId })
    await this.out.done(`Crews ${crew} and ${other} are no longer connected.`)
  }
}
