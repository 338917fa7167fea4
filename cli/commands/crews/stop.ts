import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { interactive } from '../../input.ts'
import { crewId } from '../../lookup.ts'
import { agentsOf, interrupted } from '../../runs/interrupted.ts'
import { startedView } from '../../views/crews.ts'

export default class CrewsStop extends ApiCommand<typeof CrewsStop> {
  static override summary = "Stop a crew's container"
  static override description = 'At a terminal it asks first when runs are in progress or wait for a person.'
  static override examples = [
    '$ <%= config.bin %> crews stop web-team',
    '$ <%= config.bin %> crews stop web-team --yes',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { crew } = this.args
    const id = await crewId(this.api, crew)
    await this.askFirst(await interrupted(this.api, { agents: await agentsOf(this.api, id) }))
    const work = this.api.crews.stop({ crewId: id }, { timeout: 300_000 })
    const container = await this.progress(`Stopping ${crew}`, work)
    for (const notice of container.notices ?? []) this.out.note(notice, 'yellow')
    await this.out.done(`The container of ${container.slug} is ${container.status}.`, container, startedView)
  }

  /** Asks where somebody can answer; scripts stop crews without a question, and are told. */
  private async askFirst(ends: string): Promise<void> {
    if (!ends) return
    if (interactive()) await this.confirm(`Stop crew ${this.args.crew}?${ends}`)
    else this.out.note(ends.trim(), 'yellow')
  }
}
