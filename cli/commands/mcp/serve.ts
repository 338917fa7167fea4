import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { bridge } from '../../mcp/bridge.ts'

export default class McpServe extends ApiCommand<typeof McpServe> {
  static override summary = 'Be an MCP server on standard streams, for your own assistant'
  static override description =
    'An assistant starts this command and sees journal, runs and inbox of the workspace; where your token has the ' +
    'scope agents:write it also asks agents and decides. It has the rights of your token and no more.'
  static override result = { any: true } as const
  static override examples = ['$ claude mcp add crews -- <%= config.bin %> mcp serve']

  async run(): Promise<void> {
    if (process.stdin.isTTY)
      throw new InputError(
        'An assistant starts this command: it speaks no language of people.',
        'muster help mcp serve',
      )
    await bridge(this.connection, this.session.workspace)
  }
}
