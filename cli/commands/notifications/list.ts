import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { notificationView } from '../../views/notifications.ts'

export default class NotificationsList extends ApiCommand<typeof NotificationsList> {
  static override summary = 'List what you were told of in all your workspaces, newest first'
  static override examples = [
    '$ <%= config.bin %> notifications',
    '$ <%= config.bin %> notifications list --unread',
    '$ <%= config.bin %> notifications list --json=action,entity_title',
  ]
  static override flags = {
    ...windowFlags,
    read: Flags.boolean({ description: 'only those that you have read', exclusive: ['unread'] }),
    unread: Flags.boolean({ description: 'only those that you have not read', exclusive: ['read'] }),
  }

  async run(): Promise<void> {
    const { read, unread } = this.flags
    const wanted = read ? ({ read: 'true' } as const) : unread ? ({ read: 'false' } as const) : {}
    const rows = await windowed(
      this.flags,
      (window) => this.api.notifications.list({ query: { ...window, ...wanted } }),
      100,
    )
    await this.out.list(rows, notificationView)
  }
}
