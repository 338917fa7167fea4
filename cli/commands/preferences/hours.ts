import { ApiCommand } from '../../command.ts'
import { hoursView } from '../../views/deliveries.ts'

export default class PreferencesHours extends ApiCommand<typeof PreferencesHours> {
  static override summary = 'Your quiet hours, and when you get what waited'
  static override examples = ['$ <%= config.bin %> preferences hours']

  async run(): Promise<void> {
    await this.out.show(await this.api.preferences.hours(), hoursView)
  }
}
