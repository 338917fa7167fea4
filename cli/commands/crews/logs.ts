import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'

export default class CrewsLogs extends ApiCommand<typeof CrewsLogs> {
  static override summary = "Show the latest output of a crew's container"
  static override examples = [
    '$ <%= config.bin %> crews logs web-team',
    '$ <%= config.bin %> crews logs web-team --tail 1000',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = {
    tail: Flags.integer({ min: 1, max: 5000, default: 200, helpValue: 'N', description: 'maximum number of lines' }),
  }

  async run(): Promise<void> {
    const { tail } = this.flags
    this.out.text(await this.api.crews.logs({ crewId: await crewId(this.api, this.args.crew), query: { tail } }))
  }
}
