import { ApiCommand } from '../../../command.ts'
import { windowed } from '../../../flags.ts'
import { registryFlags, registryQuery, registryWindow } from '../../../integrations/registry-flags.ts'
import { registryView } from '../../../views/registry.ts'

export default class McpRegistryList extends ApiCommand<typeof McpRegistryList> {
  static override summary = 'List MCP servers of the registry, featured ones first'
  static override description =
    'What stands there is in the words of the authors. To use one: muster integrations add NAME.'
  static override hiddenAliases = ['registry:list']
  static override examples = ['$ <%= config.bin %> mcp registry', '$ <%= config.bin %> mcp registry list --all']
  static override flags = registryFlags

  async run(): Promise<void> {
    const query = registryQuery(this.flags)
    const fetch = async (page: object) => (await this.api.registry.list({ query: { ...query, ...page } })).servers
    await this.out.list(await windowed(this.flags, fetch, registryWindow), registryView)
  }
}
