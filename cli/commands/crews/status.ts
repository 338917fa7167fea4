import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { containerView } from '../../views/crews.ts'

export default class CrewsStatus extends ApiCommand<typeof CrewsStatus> {
  static override summary = "Show the status of a crew's container"
  static override examples = [
    '$ <%= config.bin %> crews status web-team',
    '$ <%= config.bin %> crews status web-team --jq .status',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.crews.status({ crewId: await crewId(this.api, this.args.crew) }), containerView)
  }
}
