import { ApiCommand } from '../../command.ts'
import { type Found, programs } from '../../extensions.ts'
import { limited, listFlags } from '../../flags.ts'
import type { View } from '../../output/printer.ts'
import { resolve } from '../../resolve.ts'
import { readUserFile } from '../../user-settings.ts'

interface Plugin extends Found {
  /** Why it is not run by its name; null when it is. */
  hidden_by: 'command' | 'alias' | 'plugin' | null
}

const view: View<Plugin> = {
  name: ({ name }) => name,
  columns: {
    NAME: ({ name }) => name,
    STATE: ({ hidden_by: by }) => (by ? { text: `hidden by ${by}`, value: by, tone: 'yellow' } : 'in use'),
    PATH: ({ path }) => path,
  },
  empty: 'No plugins: there is no program muster-NAME on the PATH.',
}

export default class PluginsList extends ApiCommand<typeof PluginsList> {
  static override summary = 'List the programs that add commands of their own'
  static override description =
    'A program `muster-NAME` on the PATH, in any language, is a command with that name: it gets the words behind its ' +
    'name, the terminal and the environment, and its exit code is passed on. To add one, put it into a folder of the ' +
    'PATH and make it executable; to remove one, delete it. Nothing is downloaded. Commands and aliases of the same ' +
    'name win, and so does the first of several programs on the PATH.'
  static override result = { members: ['name', 'path', 'hidden_by'] }
  static override examples = ['$ <%= config.bin %> plugins', '$ <%= config.bin %> plugins list --json=name,path']
  static override flags = listFlags

  async run(): Promise<void> {
    const { aliases } = readUserFile()
    const seen = new Set<string>()
    const rows = programs().map(({ name, path }): Plugin => {
      const isCommand = resolve([name], this.registry).kind !== 'unknown'
      const hidden_by = isCommand
        ? 'command'
        : Object.hasOwn(aliases, name)
          ? 'alias'
          : seen.has(name)
            ? 'plugin'
            : null
      seen.add(name)
      return { name, path, hidden_by }
    })
    await this.out.list(limited(rows, this.flags), view)
  }
}
