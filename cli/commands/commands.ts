import { ApiCommand } from '../command.ts'
import { commandTree } from '../help/tree.ts'

export default class Commands extends ApiCommand<typeof Commands> {
  static override summary = 'List all commands with their arguments and flags'
  static override description =
    'For people it lists commands and what they do. --json has the whole tree, for programs and agents: usage, ' +
    'aliases, arguments, flags with their values, examples and the page of the documentation.'
  static override examples = [
    '$ <%= config.bin %> commands',
    '$ <%= config.bin %> commands --json',
    '$ <%= config.bin %> commands --jq \'.[] | select(.command == "crews create") | .flags[].name\'',
  ]

  async run(): Promise<void> {
    await this.out.list(commandTree(this.registry), {
      name: ({ command }) => command,
      columns: { COMMAND: ({ command }) => command, SUMMARY: ({ summary }) => summary },
    })
  }
}
