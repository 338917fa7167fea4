import { Grid } from '../../channels/grid.ts'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { cellView } from '../../views/deliveries.ts'

const signals = { SIGTERM: 143, SIGHUP: 129 } as const

export default class PreferencesNotifications extends ApiCommand<typeof PreferencesNotifications> {
  static override summary = 'Choose what you want through which channel; what is not listed is off'
  static override description =
    'At a terminal it shows a grid of categories and channels: the arrows move, Space turns on and off, Enter saves. ' +
    'Elsewhere, and with --json and similar flags, it lists what is on; `muster preferences set-notifications` ' +
    'changes it.'
  static override result = { of: ['preferences.notifications'] }
  static override examples = [
    '$ <%= config.bin %> preferences notifications',
    '$ <%= config.bin %> preferences notifications --json',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    const { cells } = await this.api.preferences.notifications()
    const isGrid = this.atTerminal && this.flags.limit === undefined
    const { channels } = isGrid ? await this.api.channels.list({ query: {} }) : { channels: [] }
    if (!channels.length) return this.out.list(limited(cells, this.flags), cellView)
    const grid = new Grid(channels, cells)
    const { GridScreen } = await import('../../channels/grid-screen.ts')
    const leave = new AbortController()
    for (const [signal, code] of Object.entries(signals)) process.once(signal, () => leave.abort(code))
    const end = await new GridScreen(grid, process.stdin, process.stdout).run(leave.signal)
    if (typeof end === 'number') return this.finish(end)
    const changes = grid.changes()
    if (end === 'leave') return this.out.note(changes.length ? 'Nothing was changed.' : 'Nothing to save.', 'dim')
    await this.api.preferences.setNotifications({ body: { cells: changes } })
    this.out.note(`Saved ${changes.length} ${changes.length === 1 ? 'change' : 'changes'}.`, 'green')
  }
}
