import { Args } from '@oclif/core'
import { presets } from '#client/words'
import type { Preset } from '#contract/capabilities'
import { ApiCommand } from '../../../command.ts'
import { workspaceInUse } from '../../../contexts/session.ts'
import { memberOf } from '../../../lookup.ts'
import { userArg } from '../../../members/capabilities.ts'
import { heldView } from '../../../views/capabilities.ts'

export default class CapabilitiesPreset extends ApiCommand<typeof CapabilitiesPreset> {
  static override summary = 'Apply a preset of capabilities to a member'
  static override result = { of: ['members.setCapabilities'], members: ['email'] }
  static override examples = ['$ <%= config.bin %> members capabilities preset ada@example.com admin']
  static override args = {
    ...userArg,
    preset: Args.string({
      required: true,
      options: presets,
      description: 'chat (only chat) or admin (credentials, too)',
    }),
  }

  async run(): Promise<void> {
    const workspaceId = workspaceInUse(this.session)
    const { user } = await memberOf(this.api, workspaceId, this.args.user)
    const held = await this.api.members.setCapabilities({
      workspaceId,
      userId: user.id,
      body: { preset: this.args.preset as Preset },
    })
    await this.out.done(
      `${user.email} may ${held.capabilities.join(', ')} now.`,
      { ...held, email: user.email },
      heldView,
    )
  }
}
