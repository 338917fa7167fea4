import { Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { given } from '../../../flags.ts'
import { secret } from '../../../input.ts'
import { settingsView } from '../../../views/managed.ts'

export default class IntegrationsManagedKey extends ApiCommand<typeof IntegrationsManagedKey> {
  static override summary = "Store the workspace's own key for the provider"
  static override description = 'Typed unseen, or on standard input. It is stored once the provider accepts it.'
  static override hiddenAliases = ['managed:set-settings']
  static override examples = [
    '$ <%= config.bin %> integrations managed key',
    '$ <%= config.bin %> integrations managed key --label team < key.txt',
  ]
  static override flags = { label: Flags.string({ description: 'what the key is called here' }) }

  async run(): Promise<void> {
    const api_key = (await secret('Key of the provider')).trim()
    const body = { api_key, ...given({ label: this.flags.label }) }
    await this.out.done('Stored the key.', await this.api.managed.setSettings({ body }), settingsView)
  }
}
