import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { crewMessageView } from '../../views/peers.ts'

export default class CrewsMessages extends ApiCommand<typeof CrewsMessages> {
  static override summary = 'List the messages between crews, newest first'
  static override description = 'Agents send them to crews that theirs is connected with.'
  static override examples = [
    '$ <%= config.bin %> crews messages',
    '$ <%= config.bin %> crews messages web-team --json=from_crew_slug,body',
  ]
  static override args = { crew: Args.string({ description: 'slug or id of a crew (default: all)' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const crew_id = this.args.crew && (await crewId(this.api, this.args.crew))
    await this.out.list(
      await windowed(this.flags, (query) =>
        this.api.crews.messages({ query: { ...query, ...(crew_id && { crew_id }) } }),
      ),
      crewMessageView,
    )
  }
}
