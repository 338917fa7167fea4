import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { crewId } from '../../../lookup.ts'
import { crewPersonaView } from '../../../views/personas.ts'

export default class PersonaCrewView extends ApiCommand<typeof PersonaCrewView> {
  static override summary = 'Show the persona of a crew'
  static override description = 'Agents of the crew have it unless they have one of their own.'
  static override result = { of: ['persona.showCrew'] }
  static override hiddenAliases = ['persona:show-crew']
  static override examples = ['$ <%= config.bin %> persona crew view web-team']
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    const shown = await this.api.persona.showCrew({ crewId: await crewId(this.api, this.args.crew) })
    await this.out.show(shown, crewPersonaView)
  }
}
