import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class NotificationsRemove extends ApiCommand<typeof NotificationsRemove> {
  static override summary = 'Delete a notification'
  static override examples = ['$ <%= config.bin %> notifications remove NOTIFICATION --yes']
  static override args = { notification: Args.string({ required: true, description: 'id of the notification' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { notification } = this.args
    await this.confirm(`Delete notification ${notification}?`)
    await this.api.notifications.remove({ notificationId: notification })
    await this.out.done(`Deleted notification ${notification}.`)
  }
}
