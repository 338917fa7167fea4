import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { serverCalled } from '../../integrations/find.ts'
import { crewFlag } from '../../integrations/flags.ts'
import { viewOf } from '../../views/integrations.ts'

export default class IntegrationsShow extends ApiCommand<typeof IntegrationsShow> {
  static override summary = 'Show an MCP server'
  static override examples = ['$ <%= config.bin %> integrations show search']
  static override args = { integration: Args.string({ required: true, description: 'name of the integration' }) }
  static override flags = crewFlag

  async run(): Promise<void> {
    const { crew } = this.flags
    await this.out.show(await serverCalled(this.api, this.args.integration, crew), viewOf(crew))
  }
}
