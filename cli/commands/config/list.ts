import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import type { Cell } from '../../output/cell.ts'
import { cliSettings, daemonSettings, type SettingRow } from '../../settings.ts'

export default class ConfigList extends ApiCommand<typeof ConfigList> {
  static override summary = 'List the settings of this command and of the local daemon'
  static override description =
    'Flags override environment variables, which override the project (`.muster.yaml`), which overrides stored ' +
    'settings, which override defaults. Secrets are shown as [set].'
  static override result = { members: ['of', 'setting', 'value', 'origin', 'env'] }
  static override aliases = ['config:show']
  static override examples = [
    '$ <%= config.bin %> config list',
    '$ <%= config.bin %> config list --origin',
    '$ <%= config.bin %> config list --jq \'.[] | select(.origin != "default")\'',
  ]
  static override flags = {
    origin: Flags.boolean({ description: 'show where each value comes from and which variable sets it' }),
    ...listFlags,
    changed: Flags.boolean({ description: 'only values that differ from the defaults' }),
  }

  async run(): Promise<void> {
    const daemon = await daemonSettings()
    if (!daemon)
      this.out.note('The daemon is not built here, so only the settings of this command are shown.', 'yellow')
    const rows = [...cliSettings(this.session, this.project), ...(daemon ?? [])].filter(
      ({ origin }) => !this.flags.changed || origin !== 'default',
    )
    const columns: Record<string, (row: SettingRow) => Cell> = {
      NAME: ({ setting }) => setting,
      OF: ({ of }) => of,
      VALUE: ({ value }) => shown(value),
    }
    const origins: typeof columns = {
      ORIGIN: ({ origin }) => ({ text: origin, ...(origin !== 'default' && { tone: 'cyan' as const }) }),
      VARIABLE: ({ env }) => env,
    }
    await this.out.list(limited(rows, this.flags), {
      name: ({ setting }) => setting,
      columns: this.flags.origin ? { ...columns, ...origins } : columns,
    })
  }
}

const shown = (value: unknown): Cell =>
  value === null || value === '' ? null : Array.isArray(value) ? value.join(', ') : (value as Cell)
