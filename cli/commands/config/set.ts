import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { changeUserFile, checkSetting, userSettings } from '../../user-settings.ts'

const lines = Object.entries(userSettings).map(
  ([name, { description, env }]) => `  ${name.padEnd(14)}${description} [$${env}]`,
)

export default class ConfigSet extends ApiCommand<typeof ConfigSet> {
  static override summary = 'Store a setting of this command'
  static override description =
    `Settings that can be stored:\n${lines.join('\n')}\n\n` +
    'A variable of the environment overrides the stored value. Servers, tokens and workspaces belong to contexts; ' +
    'settings of the daemon belong to its configuration file.'
  static override examples = [
    '$ <%= config.bin %> config set pager "less -S"',
    '$ <%= config.bin %> config set http_timeout 2m',
    '$ <%= config.bin %> config set no_input 1',
  ]
  static override args = {
    setting: Args.string({ required: true, description: 'name of the setting' }),
    value: Args.string({ required: true, description: 'its value' }),
  }

  async run(): Promise<void> {
    const { setting, value } = this.args
    checkSetting(setting, value)
    changeUserFile((file) => {
      file.settings[setting] = value
    })
    await this.out.done(`${setting} is ${value} from now on.`)
  }
}
