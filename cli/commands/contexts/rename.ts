import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { changeContexts, checkName, need } from '../../contexts/change.ts'

export default class ContextsRename extends ApiCommand<typeof ContextsRename> {
  static override summary = 'Rename a stored server'
  static override result = {}
  static override examples = ['$ <%= config.bin %> contexts rename 10.0.0.7 office']
  static override args = {
    context: Args.string({ required: true, description: 'name of the context' }),
    name: Args.string({ required: true, description: 'its new name' }),
  }

  async run(): Promise<void> {
    const { context: old, name } = this.args
    await changeContexts((file) => {
      need(file, old)
      checkName(file, name)
      file.contexts = Object.fromEntries(
        Object.entries(file.contexts).map(([key, value]) => [key === old ? name : key, value]),
      )
      if (file.current === old) file.current = name
    }, this.trying)
    await this.out.done(`Renamed ${old} to ${name}.`)
  }
}
