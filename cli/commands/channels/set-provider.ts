import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'

export default class ChannelsSetProvider extends ApiCommand<typeof ChannelsSetProvider> {
  static override summary = 'Let new channels to a service be created on this server, or not'
  static override description = 'Channels that there are go on. For an ADMIN of the first workspace of the server.'
  static override examples = ['$ <%= config.bin %> channels set-provider discord --off']
  static override args = { provider: Args.string({ required: true, description: 'name of the service' }) }
  static override flags = {
    on: Flags.boolean({ description: 'allow them', exclusive: ['off'] }),
    off: Flags.boolean({ description: 'forbid them', exclusive: ['on'] }),
  }

  async run(): Promise<void> {
    const { on, off } = this.flags
    if (!on && !off) throw new InputError('Give --on or --off.', 'muster channels providers')
    const { provider } = this.args
    const reply = await this.api.channels.setProvider({ provider, body: { enabled: on } })
    await this.out.done(`New channels to ${provider} are ${on ? 'allowed' : 'forbidden'}.`, reply)
  }
}
