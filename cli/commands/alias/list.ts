import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { readUserFile } from '../../user-settings.ts'

export default class AliasList extends ApiCommand<typeof AliasList> {
  static override summary = 'List your aliases'
  static override result = { members: ['name', 'command'] }
  static override examples = ['$ <%= config.bin %> alias list']
  static override flags = listFlags

  async run(): Promise<void> {
    const rows = Object.entries(readUserFile().aliases).map(([name, command]) => ({ name, command }))
    await this.out.list(limited(rows, this.flags), {
      name: ({ name }) => name,
      columns: { NAME: ({ name }) => name, COMMAND: ({ command }) => command },
      empty: 'No aliases. Next: muster alias set NAME "COMMAND"',
    })
  }
}
