import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'
import { memberOf } from '../../lookup.ts'

export default class MembersLeave extends ApiCommand<typeof MembersLeave> {
  static override summary = 'Leave the workspace'
  static override description = 'The last owner cannot leave: transfer the ownership first, or delete the workspace.'
  static override result = {}
  static override examples = [
    '$ <%= config.bin %> members leave',
    '$ <%= config.bin %> members leave -w research --yes',
  ]
  static override next = { last_owner: 'muster members transfer MEMBER' }
  static override flags = yesFlag

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const me = await this.api.users.me()
    const { id } = await memberOf(this.api, workspaceId, me.id)
    await this.confirm(`Leave ${workspaceId}?`)
    await this.api.members.remove({ workspaceId, memberId: id })
    await this.out.done(`You left ${workspaceId}.`)
  }
}
