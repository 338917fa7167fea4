import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { crewView } from '../../views/crews.ts'

export default class CrewsShow extends ApiCommand<typeof CrewsShow> {
  static override summary = 'Show a crew'
  static override examples = [
    '$ <%= config.bin %> crews show web-team',
    '$ <%= config.bin %> crews show web-team -o yaml',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    const crew = await this.api.crews.show({ crewId: await crewId(this.api, this.args.crew) })
    for (const warning of crew.warnings ?? []) this.out.note(warning, 'yellow')
    await this.out.show(crew, crewView)
  }
}
