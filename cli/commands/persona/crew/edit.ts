import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { crewId } from '../../../lookup.ts'
import { contentFlag, textFor } from '../../../persona/text.ts'

export default class PersonaCrewEdit extends ApiCommand<typeof PersonaCrewEdit> {
  static override summary = 'Write the persona of a crew'
  static override description =
    'Opens $VISUAL or $EDITOR with the text as it stands, unless --content gives one. At most 1500 bytes.'
  static override result = { of: ['persona.setCrew'] }
  static override hiddenAliases = ['persona:set-crew']
  static override examples = [
    '$ <%= config.bin %> persona crew edit web-team',
    '$ <%= config.bin %> persona crew edit web-team --content @PERSONA.md',
  ]
  static override next = { body_too_large: 'shorten the text' }
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = contentFlag

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    const before = async () => (await this.api.persona.showCrew({ crewId: id })).content
    const content = await textFor(this.flags.content, before)
    const reply = await this.api.persona.setCrew({ crewId: id, body: { content } })
    await this.out.done(`Wrote the persona of crew ${this.args.crew}.`, reply)
  }
}
