import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { memberOf } from '../../../lookup.ts'
import { userArg } from '../../../members/capabilities.ts'
import { heldView } from '../../../views/capabilities.ts'

export default class CapabilitiesShow extends ApiCommand<typeof CapabilitiesShow> {
  static override summary = 'Show the capabilities of a member'
  static override result = { of: ['members.showCapabilities'], members: ['email'] }
  static override hiddenAliases = ['members:show-capabilities']
  static override examples = ['$ <%= config.bin %> members capabilities show ada@example.com']
  static override args = userArg

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { user } = await memberOf(this.api, workspaceId, this.args.user)
    const held = await this.api.members.showCapabilities({ workspaceId, userId: user.id })
    await this.out.show({ ...held, email: user.email }, heldView)
  }
}
