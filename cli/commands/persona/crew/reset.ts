import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { yesFlag } from '../../../flags.ts'
import { crewId } from '../../../lookup.ts'

export default class PersonaCrewReset extends ApiCommand<typeof PersonaCrewReset> {
  static override summary = 'Remove the persona of a crew'
  static override hiddenAliases = ['persona:reset-crew']
  static override examples = ['$ <%= config.bin %> persona crew reset web-team --yes']
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { crew } = this.args
    const id = await crewId(this.api, crew)
    await this.confirm(`Remove the persona of crew ${crew}?`)
    await this.api.persona.resetCrew({ crewId: id })
    await this.out.done(`Removed the persona of crew ${crew}.`)
  }
}
