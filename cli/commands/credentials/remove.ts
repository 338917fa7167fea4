import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { confirm } from '../../input.ts'
import { credentialId } from '../../lookup.ts'

export default class CredentialsRemove extends ApiCommand<typeof CredentialsRemove> {
  static override summary = 'Delete a credential, its value and its assignments'
  static override examples = [
    '$ <%= config.bin %> credentials remove main',
    '$ <%= config.bin %> credentials remove main --yes',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const id = await credentialId(this.api, this.args.credential)
    const { name, _count } = await this.api.credentials.show({ credentialId: id })
    await confirm(`Delete credential ${name}, which ${_count.agents} agents use?`, this.flags.yes)
    await this.api.credentials.remove({ credentialId: id })
    await this.out.done(`Deleted credential ${name}.`)
  }
}
