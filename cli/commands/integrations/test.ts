import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { serverCalled } from '../../integrations/find.ts'
import { crewFlag } from '../../integrations/flags.ts'
import { crewId } from '../../lookup.ts'
import { testedView } from '../../views/integrations.ts'

export default class IntegrationsTest extends ApiCommand<typeof IntegrationsTest> {
  static override summary = 'Test whether an MCP server answers, with the credential that it is used with'
  static override description =
    'Says which credential that is: the one that people signed in with, else that of the oldest binding. Exits ' +
    'with 1 if the server does not answer, or asks for another one. A server over standard streams is run in a crew ' +
    'that runs; if there is none, only the form of its command is looked at.'
  static override hiddenAliases = ['integrations:test-in-crew']
  static override examples = [
    '$ <%= config.bin %> integrations test search',
    '$ <%= config.bin %> integrations test git --crew web-team',
  ]
  static override args = { integration: Args.string({ required: true, description: 'name of the integration' }) }
  static override flags = crewFlag

  async run(): Promise<void> {
    const { crew } = this.flags
    const { id } = await serverCalled(this.api, this.args.integration, crew)
    const asked =
      crew === undefined
        ? this.api.integrations.test({ integrationId: id })
        : this.api.integrations.testInCrew({ crewId: await crewId(this.api, crew), serverId: id })
    const result = await this.progress('Asking the server', asked)
    await this.out.show(result, testedView)
    if (result.status !== 'ok') this.finish(exits.other)
  }
}
