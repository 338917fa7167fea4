import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { confirmFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { agentsOf, interrupted } from '../../runs/interrupted.ts'

export default class CrewsRemove extends ApiCommand<typeof CrewsRemove> {
  static override summary = 'Delete a crew, its agents and its container'
  static override examples = [
    '$ <%= config.bin %> crews remove web-team',
    '$ <%= config.bin %> crews rm web-team --confirm web-team',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = confirmFlags

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    const crew = await this.api.crews.show({ crewId: id })
    const ends = await interrupted(this.api, { agents: await agentsOf(this.api, id) })
    const { agents } = crew._count
    const members = agents === 0 ? '' : agents === 1 ? ' with its agent' : ` with its ${agents} agents`
    const what = `crew ${crew.slug}${members}${members ? ' and' : ' with'} its container`
    await this.confirmName(`Delete ${what}?${ends}`, crew.slug)
    await this.progress(`Deleting ${crew.slug}`, this.api.crews.remove({ crewId: id }))
    await this.out.done(`Deleted crew ${crew.slug}.`)
  }
}
