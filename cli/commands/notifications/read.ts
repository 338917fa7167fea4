import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'

export default class NotificationsRead extends ApiCommand<typeof NotificationsRead> {
  static override summary = 'Mark a notification as read'
  static override examples = ['$ <%= config.bin %> notifications read NOTIFICATION']
  static override args = { notification: Args.string({ required: true, description: 'id of the notification' }) }

  async run(): Promise<void> {
    const { notification } = this.args
    const reply = await this.api.notifications.read({ notificationId: notification })
    await this.out.done(`${notification} is read.`, reply)
  }
}
