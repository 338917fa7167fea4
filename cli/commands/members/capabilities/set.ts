import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { memberOf } from '../../../lookup.ts'
import { capabilitiesIn, capabilityArg, userArg } from '../../../members/capabilities.ts'
import { heldView } from '../../../views/capabilities.ts'

export default class CapabilitiesSet extends ApiCommand<typeof CapabilitiesSet> {
  static override summary = 'Replace the capabilities of a member'
  static override result = { of: ['members.setCapabilities'], members: ['email'] }
  static override hiddenAliases = ['members:set-capabilities']
  static override examples = ['$ <%= config.bin %> members capabilities set ada@example.com chat,credential.create']
  static override args = { ...userArg, ...capabilityArg }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { user } = await memberOf(this.api, workspaceId, this.args.user)
    const held = await this.api.members.setCapabilities({
      workspaceId,
      userId: user.id,
      body: { set: capabilitiesIn(this.args.capability) },
    })
    await this.out.done(
      `${user.email} may ${held.capabilities.join(', ')} now.`,
      { ...held, email: user.email },
      heldView,
    )
  }
}
