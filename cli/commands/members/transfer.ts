import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'
import { memberOf } from '../../lookup.ts'

export default class MembersTransfer extends ApiCommand<typeof MembersTransfer> {
  static override summary = 'Transfer your ownership to a member and become an ADMIN'
  static override examples = ['$ <%= config.bin %> members transfer ada@example.com']
  static override args = { member: Args.string({ required: true, description: 'email address, user id or member id' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id, user } = await memberOf(this.api, workspaceId, this.args.member)
    await this.confirm(`Make ${user.email} the owner of ${workspaceId} in your place?`)
    await this.api.members.transfer({ workspaceId, memberId: id })
    await this.out.done(`${user.email} is OWNER now, and you are ADMIN.`)
  }
}
