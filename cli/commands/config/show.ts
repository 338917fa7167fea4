import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import type { Cell } from '../../output/cell.ts'
import { cliSettings, daemonSettings, type SettingRow } from '../../settings.ts'

export default class ConfigShow extends ApiCommand<typeof ConfigShow> {
  static override summary = 'Show the settings of this command and of the local daemon'
  static override description =
    'Flags override environment variables, which override the configuration file, which overrides defaults. ' +
    'Secrets are shown as [set].'
  static override examples = [
    '$ <%= config.bin %> config show',
    '$ <%= config.bin %> config show --origin',
    '$ <%= config.bin %> config show --jq \'.[] | select(.origin != "default")\'',
  ]
  static override flags = {
    origin: Flags.boolean({ description: 'show where each value comes from and which variable sets it' }),
    changed: Flags.boolean({ description: 'only values that differ from the defaults' }),
  }

  async run(): Promise<void> {
    const daemon = await daemonSettings()
    if (!daemon)
      this.out.note('The daemon is not built here, so only the settings of this command are shown.', 'yellow')
    const rows = [...cliSettings(this.session), ...(daemon ?? [])].filter(
      ({ origin }) => !this.flags.changed || origin !== 'default',
    )
    const columns: Record<string, (row: SettingRow) => Cell> = {
      OF: ({ of }) => of,
      SETTING: ({ setting }) => setting,
      VALUE: ({ value }) => shown(value),
    }
    const origins: typeof columns = {
      ORIGIN: ({ origin }) => ({ text: origin, ...(origin !== 'default' && { tone: 'cyan' as const }) }),
      VARIABLE: ({ env }) => env,
    }
    await this.out.list(rows, {
      name: ({ setting }) => setting,
      columns: this.flags.origin ? { ...columns, ...origins } : columns,
    })
  }
}

const shown = (value: unknown): Cell =>
  value === null || value === '' ? null : Array.isArray(value) ? value.join(', ') : (value as Cell)
