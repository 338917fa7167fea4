import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'
import { memberOf } from '../../lookup.ts'

export default class MembersRemove extends ApiCommand<typeof MembersRemove> {
  static override summary = 'Remove a member from the workspace'
  static override description =
    'Also ends their crew memberships and the invitations that they sent. The account remains.'
  static override examples = [
    '$ <%= config.bin %> members remove ada@example.com',
    '$ <%= config.bin %> members remove ada@example.com --yes',
  ]
  static override args = { member: Args.string({ required: true, description: 'email address, user id or member id' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id, user } = await memberOf(this.api, workspaceId, this.args.member)
    await this.confirm(`Remove ${user.email} from ${workspaceId}?`)
    await this.api.members.remove({ workspaceId, memberId: id })
    await this.out.done(`Removed ${user.email} from ${workspaceId}.`)
  }
}
