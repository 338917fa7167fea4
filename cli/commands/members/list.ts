import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { memberView } from '../../views/workspaces.ts'

export default class MembersList extends ApiCommand<typeof MembersList> {
  static override summary = 'List the members of the workspace, oldest first'
  static override examples = [
    '$ <%= config.bin %> members',
    '$ <%= config.bin %> members list -w research --json=role,user.email',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    await this.out.list(
      await windowed(this.flags, (query) => this.api.members.list({ workspaceId, query })),
      memberView,
    )
  }
}
