import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { changeContexts, need } from '../../contexts/change.ts'

export default class ContextsUse extends ApiCommand<typeof ContextsUse> {
  static override summary = 'Use a stored server from now on'
  static override result = {}
  static override examples = ['$ <%= config.bin %> contexts use work']
  static override args = { context: Args.string({ required: true, description: 'name of the context' }) }

  async run(): Promise<void> {
    await changeContexts((file) => {
      need(file, this.args.context)
      file.current = this.args.context
    }, this.trying)
    await this.out.done(`Now using context ${this.args.context}.`)
  }
}
