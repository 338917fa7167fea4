import { Args } from '@oclif/core'
import { givenRoles } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { InputError } from '../../input.ts'
import { memberOf } from '../../lookup.ts'

export default class MembersSetRole extends ApiCommand<typeof MembersSetRole> {
  static override summary = "Change a member's role to one below your own"
  static override aliases = ['members:update']
  static override examples = ['$ <%= config.bin %> members set-role ada@example.com manager']
  static override next = { last_owner: 'muster members transfer MEMBER' }
  static override args = {
    member: Args.string({ required: true, description: 'email address, user id or member id' }),
    role: Args.string({ required: true, description: 'viewer, member, manager or admin' }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { id, user } = await memberOf(this.api, workspaceId, this.args.member)
    const { role } = await this.api.members.update({ workspaceId, memberId: id, body: { role: this.role } })
    await this.out.done(`${user.email} is ${role} now.`)
  }

  private get role() {
    const found = givenRoles.find((role) => role === this.args.role.toUpperCase())
    if (found) return found
    const next = this.args.role.toUpperCase() === 'OWNER' ? `muster members transfer ${this.args.member}` : undefined
    throw new InputError(`A role is one of ${givenRoles.join(', ').toLowerCase()}, not "${this.args.role}".`, next)
  }
}
