import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { changeContexts, checkName } from '../../contexts/change.ts'
import { readTarget } from '../../contexts/session.ts'
import { contextMembers, contextView, rowOf } from '../../views/contexts.ts'

export default class ContextsCreate extends ApiCommand<typeof ContextsCreate> {
  static override summary = 'Store a server under a name'
  static override description =
    'Stores the address and, if given, the workspace. `muster login --context NAME` adds a token.'
  static override result = { members: contextMembers }
  static override examples = [
    '$ <%= config.bin %> contexts create work --url https://muster.example.com',
    '$ <%= config.bin %> contexts create work --url https://muster.example.com -w research --use',
  ]
  static override args = { context: Args.string({ required: true, description: 'name of the context' }) }
  static override flags = {
    url: Flags.string({ required: true, description: 'address of the server: http://, https:// or unix://' }),
    use: Flags.boolean({ description: 'use it from now on' }),
  }

  async run(): Promise<void> {
    const name = this.args.context
    const context = {
      server: readTarget(this.flags.url).key,
      ...(this.flags.workspace && { workspace: this.flags.workspace }),
    }
    let current = false
    await changeContexts((file) => {
      checkName(file, name)
      file.contexts[name] = context
      if (this.flags.use) file.current = name
      current = file.current === name
    }, this.trying)
    await this.out.done(`Stored ${context.server} as ${name}.`, rowOf(name, context, current), contextView)
  }
}
