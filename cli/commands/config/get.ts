import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { nearest } from '../../lookup/find.ts'
import { cliSettings, daemonSettings, type SettingRow } from '../../settings.ts'

export default class ConfigGet extends ApiCommand<typeof ConfigGet> {
  static override summary = 'Print the value of one setting'
  static override description = 'Prints an empty line for a setting without a value. Secrets are printed as [set].'
  static override examples = ['$ <%= config.bin %> config get server', '$ <%= config.bin %> config get pager']
  static override result = { members: ['of', 'setting', 'value', 'origin', 'env'] }
  static override args = { setting: Args.string({ required: true, description: 'name of the setting' }) }

  async run(): Promise<void> {
    const row = await this.find(this.args.setting)
    if (this.out.wanted.format !== 'auto') return this.out.value(row)
    this.out.text(`${Array.isArray(row.value) ? row.value.join(',') : (row.value ?? '')}\n`)
  }

  private async find(setting: string): Promise<SettingRow> {
    const own = cliSettings(this.session, this.project)
    const known = own.some((row) => row.setting === setting) ? own : [...own, ...((await daemonSettings()) ?? [])]
    const found = known.find((row) => row.setting === setting)
    if (found) return found
    const names = known.map((row) => row.setting)
    const near = nearest(setting, names)
    throw new InputError(
      `There is no setting "${setting}"${near ? `; did you mean "${near}"?` : '.'}`,
      'muster config list',
    )
  }
}
