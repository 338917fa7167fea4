import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { cellView } from '../../views/deliveries.ts'

export default class PreferencesNotifications extends ApiCommand<typeof PreferencesNotifications> {
  static override summary = 'List what you want through which channel; what is not listed is off'
  static override examples = ['$ <%= config.bin %> preferences notifications']
  static override flags = listFlags

  async run(): Promise<void> {
    const { cells } = await this.api.preferences.notifications()
    await this.out.list(limited(cells, this.flags), cellView)
  }
}
