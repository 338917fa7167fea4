import { ApiCommand } from '../../../command.ts'
import { syncView } from '../../../views/registry.ts'

export default class McpRegistrySync extends ApiCommand<typeof McpRegistrySync> {
  static override summary = 'Fetch the registry of MCP servers anew'
  static override description =
    'For all workspaces of the server, at most once an hour; from then on it is fetched daily.'
  static override hiddenAliases = ['registry:sync']
  static override examples = ['$ <%= config.bin %> mcp registry sync']

  async run(): Promise<void> {
    await this.out.done('The registry is being fetched.', await this.api.registry.sync({}), syncView)
  }
}
