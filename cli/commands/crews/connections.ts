import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { crewConnectionView } from '../../views/crew-connections.ts'

export default class CrewsConnections extends ApiCommand<typeof CrewsConnections> {
  static override summary = 'List which crews may hand work to each other, newest first'
  static override description =
    'A connection that is pending was asked for by an agent and has no effect until it is approved.'
  static override examples = [
    '$ <%= config.bin %> crews connections',
    '$ <%= config.bin %> crews connections --json=from_crew_slug,to_crew_slug,direction',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(
      await windowed(this.flags, (query) => this.api.crews.connections({ query })),
      crewConnectionView,
    )
  }
}
