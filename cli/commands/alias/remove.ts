import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { NotFound, nearest } from '../../lookup/find.ts'
import { changeUserFile } from '../../user-settings.ts'

export default class AliasRemove extends ApiCommand<typeof AliasRemove> {
  static override summary = 'Remove an alias'
  static override examples = ['$ <%= config.bin %> alias remove failed']
  static override args = { name: Args.string({ required: true, description: 'the alias' }) }

  async run(): Promise<void> {
    const { name } = this.args
    await changeUserFile(({ aliases }) => {
      if (!Object.hasOwn(aliases, name))
        throw new NotFound('alias', name, nearest(name, Object.keys(aliases)), 'muster alias list')
      delete aliases[name]
    }, this.trying)
    await this.out.done(`The alias ${name} is removed.`)
  }
}
