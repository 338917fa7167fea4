import { ApiCommand } from '../../command.ts'

export default class NotificationsReadAll extends ApiCommand<typeof NotificationsReadAll> {
  static override summary = 'Mark all your notifications as read'
  static override examples = ['$ <%= config.bin %> notifications read-all']

  async run(): Promise<void> {
    const reply = await this.api.notifications.readAll()
    await this.out.done(`${reply.updated} marked as read.`, reply)
  }
}
