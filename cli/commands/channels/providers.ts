import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { providerView } from '../../views/channels.ts'

export default class ChannelsProviders extends ApiCommand<typeof ChannelsProviders> {
  static override summary = 'List the services that channels can send to, with what each of them needs'
  static override examples = ['$ <%= config.bin %> channels providers']
  static override flags = listFlags

  async run(): Promise<void> {
    const { providers } = await this.api.channels.providers()
    await this.out.list(limited(providers, this.flags), providerView)
  }
}
