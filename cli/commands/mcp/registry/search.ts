import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { windowed } from '../../../flags.ts'
import { registryFlags, registryQuery, registryWindow } from '../../../integrations/registry-flags.ts'
import { registryView } from '../../../views/registry.ts'

export default class McpRegistrySearch extends ApiCommand<typeof McpRegistrySearch> {
  static override summary = 'Search the registry of MCP servers'
  static override hiddenAliases = ['registry:search']
  static override examples = ['$ <%= config.bin %> mcp registry search github']
  static override args = { q: Args.string({ required: true, description: 'part of name, description or category' }) }
  static override flags = registryFlags

  async run(): Promise<void> {
    const query = { q: this.args.q, ...registryQuery(this.flags) }
    const fetch = async (page: object) => (await this.api.registry.search({ query: { ...query, ...page } })).servers
    await this.out.list(await windowed(this.flags, fetch, registryWindow), registryView)
  }
}
