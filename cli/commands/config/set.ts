import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { durationMs } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { changeUserFile, type UserSetting, userSettings } from '../../user-settings.ts'

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
    check(setting, value)
    await changeUserFile((file) => {
      file.settings[setting] = value
    }, this.trying)
    await this.out.done(`${setting} is ${value} from now on.`)
  }
}

/** Refuses settings that there are not, and values that they cannot have. */
function check(name: string, value: string): asserts name is UserSetting {
  if (!Object.hasOwn(userSettings, name))
    throw new InputError(
      `There is no setting "${name}"; there are ${Object.keys(userSettings).join(', ')}.`,
      'muster config list',
    )
  const { kind } = userSettings[name as UserSetting]
  const refuse = (rule: string) => new InputError(`${name} must be ${rule}, not "${value}".`)
  if (kind === 'duration' && !/^\S+$/.test(value)) throw refuse('a duration such as 10s, 5m or 2h')
  if (kind === 'duration') durationMs(value, name)
  if (kind === 'switch' && value !== '1') throw refuse('1 (`muster config unset` turns it off)')
}
