import { Flags } from '@oclif/core'
import { HostCommand, hostFlags, hostLimit, rowsAsked } from '../../local/host-command.ts'
import { hostUserView } from '../../views/host.ts'

export default class AdminListUsers extends HostCommand<typeof AdminListUsers> {
  static override summary = 'List the users of the server on this machine'
  static override description =
    'Reads the data folder; no daemon may be running. The role is the one in the first workspace of the server.'
  static override examples = [
    '$ <%= config.bin %> admin list-users',
    '$ <%= config.bin %> admin list-users --locked-only --json=email,locked_until',
  ]
  static override flags = {
    ...hostFlags,
    ...hostLimit,
    'locked-only': Flags.boolean({ description: 'only accounts that are currently locked' }),
  }

  async run(): Promise<void> {
    const { 'locked-only': locked_only } = this.flags
    const { users, total } = await this.ask('list-users', { locked_only, limit: rowsAsked(this.flags) })
    await this.out.list(users, { ...hostUserView, ...(locked_only && { empty: 'No account is locked.' }) })
    this.more(users.length, total)
  }
}
