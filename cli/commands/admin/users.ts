import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { adminUserView } from '../../views/admin.ts'

export default class AdminUsers extends ApiCommand<typeof AdminUsers> {
  static override summary = 'List the users of the workspace with their roles, newest account first'
  static override description = 'For the OWNER of the workspace.'
  static override examples = ['$ <%= config.bin %> admin users', '$ <%= config.bin %> admin users --json=id,email,role']
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.admin.users({ query })), adminUserView)
  }
}
