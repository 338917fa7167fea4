import { Args } from '@oclif/core'
import { expandAlias, wordsOf } from '../../alias.ts'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { resolve } from '../../resolve.ts'
import { changeUserFile } from '../../user-settings.ts'

export default class AliasSet extends ApiCommand<typeof AliasSet> {
  static override summary = 'Give a command line a name of your own'
  static override description =
    'What follows the name on the command line is added at the end; $1 to $9 in the alias take one argument each, ' +
    '$@ takes the others. An alias cannot replace a command.'
  static override examples = [
    '$ <%= config.bin %> alias set failed "runs list --status failed"',
    '$ <%= config.bin %> alias set review \'ask ada "Review $1"\'',
  ]
  static override args = {
    name: Args.string({ required: true, description: 'the new word' }),
    command: Args.string({ required: true, description: 'the command line that it stands for, without "muster"' }),
  }

  async run(): Promise<void> {
    const { name, command } = this.args
    if (!/^[a-z0-9][a-z0-9-]*$/.test(name))
      throw new InputError(`An alias consists of small letters, digits and dashes, not "${name}".`)
    if (resolve([name], this.registry).kind !== 'unknown') throw new InputError(`"${name}" is a command already.`)
    if (!wordsOf(command).length || resolve(expandAlias(command, examples), this.registry).kind !== 'run')
      throw new InputError(`"${command}" is not a command of muster.`, 'muster --help')
    await changeUserFile(({ aliases }) => {
      aliases[name] = command
    }, this.trying)
    await this.out.done(`muster ${name} stands for muster ${command}.`)
  }
}

/** As many arguments as an alias can take. */
const examples = Array.from({ length: 9 }, () => 'x')
