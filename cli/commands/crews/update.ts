import { Args, Flags } from '@oclif/core'
import { crewBody, crewFlags } from '../../bodies/crews.ts'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { crewView } from '../../views/crews.ts'

export default class CrewsUpdate extends ApiCommand<typeof CrewsUpdate> {
  static override summary = 'Change a crew'
  static override description =
    'Changes only what is given. Empty text clears a field. Limits, network and image take effect when the ' +
    'container restarts.'
  static override hiddenAliases = ['crews:replace']
  static override examples = [
    '$ <%= config.bin %> crews update web-team --memory 8192',
    '$ <%= config.bin %> crews update web-team --network-mode free',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    slug: Flags.string({ description: 'new short name' }),
    ...crewFlags,
  }

  async run(): Promise<void> {
    const crew = await this.api.crews.update({
      crewId: await crewId(this.api, this.args.crew),
      body: crewBody(this.flags),
    })
    for (const warning of crew.warnings ?? []) this.out.note(warning, 'yellow')
    await this.out.done(`Changed crew ${crew.slug}.`, crew, crewView)
  }
}
