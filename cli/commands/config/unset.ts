import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { changeUserFile, type UserSetting } from '../../user-settings.ts'

export default class ConfigUnset extends ApiCommand<typeof ConfigUnset> {
  static override summary = 'Remove a stored setting of this command'
  static override examples = ['$ <%= config.bin %> config unset pager']
  static override args = { setting: Args.string({ required: true, description: 'name of the setting' }) }

  async run(): Promise<void> {
    const { setting } = this.args
    await changeUserFile(({ settings }) => {
      if (!Object.hasOwn(settings, setting)) throw new InputError(`${setting} is not stored.`, 'muster config list')
      delete settings[setting as UserSetting]
    }, this.trying)
    await this.out.done(`${setting} has its default again.`)
  }
}
