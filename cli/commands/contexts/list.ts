import { ApiCommand } from '../../command.ts'
import { readContexts } from '../../contexts/file.ts'
import { limited, listFlags } from '../../flags.ts'
import { configFile } from '../../paths.ts'
import { contextMembers, contextView, rowOf } from '../../views/contexts.ts'

export default class ContextsList extends ApiCommand<typeof ContextsList> {
  static override summary = 'List the stored servers'
  static override result = { members: contextMembers }
  static override examples = [
    '$ <%= config.bin %> contexts list',
    '$ <%= config.bin %> contexts list --json=name,server',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    const { current, contexts } = await readContexts(configFile())
    const rows = Object.entries(contexts).map(([name, context]) => rowOf(name, context, name === current))
    await this.out.list(limited(rows, this.flags), contextView)
  }
}
