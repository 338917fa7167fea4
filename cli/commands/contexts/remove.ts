import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { changeContexts, need } from '../../contexts/change.ts'
import { readContexts } from '../../contexts/file.ts'
import { configFile } from '../../paths.ts'

export default class ContextsRemove extends ApiCommand<typeof ContextsRemove> {
  static override summary = 'Forget a server and its token'
  static override description =
    'Removes it from this machine only: the token stays valid until it is revoked on the server.'
  static override result = {}
  static override examples = [
    '$ <%= config.bin %> contexts remove work',
    '$ <%= config.bin %> contexts remove work --yes',
  ]
  static override args = { context: Args.string({ required: true, description: 'name of the context' }) }
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'skip the confirmation prompt' }) }

  async run(): Promise<void> {
    const name = this.args.context
    need(await readContexts(configFile()), name)
    await this.confirm(`Forget ${name} and its token?`)
    await changeContexts((file) => {
      delete file.contexts[name]
      if (file.current === name) delete file.current
    }, this.trying)
    await this.out.done(`Removed context ${name}.`)
  }
}
