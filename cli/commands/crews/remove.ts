import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { confirm } from '../../input.ts'
import { crewId } from '../../lookup.ts'

export default class CrewsRemove extends ApiCommand<typeof CrewsRemove> {
  static override summary = 'Delete a crew, its agents and its container'
  static override examples = [
    '$ <%= config.bin %> crews remove web-team',
    '$ <%= config.bin %> crews remove web-team --yes',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    const crew = await this.api.crews.show({ crewId: id })
    await confirm(`Delete crew ${crew.slug} with its ${crew._count.agents} agents and its container?`, this.flags.yes)
    await this.progress(`Deleting ${crew.slug}`, this.api.crews.remove({ crewId: id }))
    await this.out.done(`Deleted crew ${crew.slug}.`)
  }
}
