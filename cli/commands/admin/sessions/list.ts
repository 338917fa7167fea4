import { Flags } from '@oclif/core'
import { HostCommand, hostFlags, hostLimit, rowsAsked } from '../../../local/host-command.ts'
import { hostSessionView } from '../../../views/host.ts'

export default class AdminSessionsList extends HostCommand<typeof AdminSessionsList> {
  static override summary = 'List browser sessions, most recently used first'
  static override description = 'Reads the data folder; no daemon may be running.'
  static override result = { of: ['admin.list-sessions'] }
  static override examples = [
    '$ <%= config.bin %> admin sessions',
    '$ <%= config.bin %> admin sessions list --email ada@example.com --active-only',
  ]
  static override flags = {
    ...hostFlags,
    ...hostLimit,
    email: Flags.string({ helpValue: 'ADDRESS', description: 'only sessions of this user' }),
    'active-only': Flags.boolean({ description: 'only sessions that are neither revoked nor expired' }),
  }

  async run(): Promise<void> {
    const { email, 'active-only': active_only } = this.flags
    const { sessions, total } = await this.ask('list-sessions', { email, active_only, limit: rowsAsked(this.flags) })
    await this.out.list(sessions, hostSessionView)
    this.more(sessions.length, total)
  }
}
