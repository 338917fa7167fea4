import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class PreferencesRemove extends ApiCommand<typeof PreferencesRemove> {
  static override summary = 'Delete a preference'
  static override examples = ['$ <%= config.bin %> preferences remove theme --yes']
  static override args = { key: Args.string({ required: true, description: 'key of the preference' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { key } = this.args
    await this.confirm(`Forget ${key}?`)
    await this.api.preferences.remove({ key })
    await this.out.done(`Deleted preference ${key}.`)
  }
}
