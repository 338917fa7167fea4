import { ApiCommand } from '../../command.ts'

export default class NotificationsCount extends ApiCommand<typeof NotificationsCount> {
  static override summary = 'Count the notifications that you have not read'
  static override examples = ['$ <%= config.bin %> notifications count']

  async run(): Promise<void> {
    await this.out.show(await this.api.notifications.count(), {
      name: ({ unread }) => String(unread),
      columns: { Unread: ({ unread }) => unread },
    })
  }
}
