import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { momentOf } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { standupView } from '../../views/standup.ts'

export default class CrewsStandup extends ApiCommand<typeof CrewsStandup> {
  static override summary = 'Show what the agents of a crew did, and what they wait for'
  static override description =
    'Counted from runs, questions and costs on record; no model is asked. Costs are those that are known.'
  static override examples = [
    '$ <%= config.bin %> crews standup web-team',
    '$ <%= config.bin %> crews standup web-team --since 7d',
    "$ <%= config.bin %> crews standup web-team --jq '.agents[] | [.slug, .runs.failed]'",
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = {
    since: Flags.string({ default: '24h', helpValue: 'WHEN', description: 'since when: a time, or how long ago' }),
  }

  async run(): Promise<void> {
    const since = momentOf(this.flags.since, '--since')
    const query = since ? { since } : {}
    await this.out.show(
      await this.api.crews.standup({ crewId: await crewId(this.api, this.args.crew), query }),
      standupView,
    )
  }
}
