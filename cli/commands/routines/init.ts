import { existsSync, writeFileSync } from 'node:fs'
import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { shellWord } from '../../output/shell-word.ts'
import { namedTemplate, templateNames } from '../../routines/templates.ts'

export default class RoutinesInit extends ApiCommand<typeof RoutinesInit> {
  static override summary = 'Write the file of a new routine'
  static override description =
    `From a small example, or from one of those that come with Muster: ${templateNames.join(', ')}.`
  static override offline = true
  static override result = { members: ['file', 'template'] }
  static override examples = [
    '$ <%= config.bin %> routines init nightly',
    '$ <%= config.bin %> routines init update-deps --template nightly-update',
  ]
  static override args = { name: Args.string({ required: true, description: 'slug of the routine' }) }
  static override flags = {
    template: Flags.string({ options: [...templateNames], helpValue: 'NAME', description: 'what to begin with' }),
    file: Flags.string({ helpValue: 'FILE', description: 'file to write; NAME.yaml unless given' }),
  }

  async run(): Promise<void> {
    const { name } = this.args
    const { template = 'example', file = `${name}.yaml` } = this.flags
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name))
      throw new InputError(`A slug has a-z, 0-9, _ and -, at most 64 characters: "${name}" has others.`)
    if (existsSync(file)) throw new InputError(`${file} is there already.`, 'muster routines init NAME --file OTHER')
    if (!this.dry) writeFileSync(file, namedTemplate(this.config.root, template, name))
    await this.out.done(`Wrote ${file}. Next: muster routines save ${shellWord(file)}`, { file, template })
  }
}
