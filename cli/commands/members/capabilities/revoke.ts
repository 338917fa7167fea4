import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { memberOf } from '../../../lookup.ts'
import { capabilitiesIn, capabilityArg, userArg } from '../../../members/capabilities.ts'
import { heldView } from '../../../views/capabilities.ts'

export default class CapabilitiesRevoke extends ApiCommand<typeof CapabilitiesRevoke> {
  static override summary = 'Revoke capabilities of a member'
  static override result = { of: ['members.setCapabilities'], members: ['email'] }
  static override examples = [
    '$ <%= config.bin %> members capabilities revoke ada@example.com credential.create,credential.rotate',
  ]
  static override args = { ...userArg, ...capabilityArg }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { user } = await memberOf(this.api, workspaceId, this.args.user)
    const held = await this.api.members.setCapabilities({
      workspaceId,
      userId: user.id,
      body: { revoke: capabilitiesIn(this.args.capability) },
    })
    await this.out.done(
      `${user.email} may ${held.capabilities.join(', ')} now.`,
      { ...held, email: user.email },
      heldView,
    )
  }
}
