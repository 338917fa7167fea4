import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { startedView } from '../../views/crews.ts'

export default class CrewsStop extends ApiCommand<typeof CrewsStop> {
  static override summary = "Stop a crew's container"
  static override examples = ['$ <%= config.bin %> crews stop web-team']
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    const { crew } = this.args
    const work = async () => this.api.crews.stop({ crewId: await crewId(this.api, crew) }, { timeout: 300_000 })
    const container = await this.progress(`Stopping ${crew}`, work)
    for (const notice of container.notices ?? []) this.out.note(notice, 'yellow')
    await this.out.done(`The container of ${container.slug} is ${container.status}.`, container, startedView)
  }
}
