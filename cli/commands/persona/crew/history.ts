import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { limited, listFlags, onePage } from '../../../flags.ts'
import { crewId } from '../../../lookup.ts'
import { versionView } from '../../../views/personas.ts'

export default class PersonaCrewHistory extends ApiCommand<typeof PersonaCrewHistory> {
  static override summary = 'List the versions of the persona of a crew, newest first'
  static override description = 'The server gives the newest 100 at most.'
  static override result = { of: ['persona.crewHistory'] }
  static override hiddenAliases = ['persona:crew-history']
  static override examples = [
    '$ <%= config.bin %> persona crew history web-team',
    '$ <%= config.bin %> persona crew history web-team --all -o wide',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const { entries } = await this.api.persona.crewHistory({
      crewId: await crewId(this.api, this.args.crew),
      query: onePage(this.flags, 100),
    })
    await this.out.list(limited(entries, this.flags), versionView)
  }
}
