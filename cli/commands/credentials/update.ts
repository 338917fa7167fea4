import { Args, Flags } from '@oclif/core'
import { credentialBody, credentialFlags } from '../../bodies/credentials.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { secret } from '../../input.ts'
import { credentialId } from '../../lookup.ts'
import { credentialView } from '../../views/credentials.ts'

export default class CredentialsUpdate extends ApiCommand<typeof CredentialsUpdate> {
  static override summary = 'Change a credential'
  static override description =
    'Changes only what is given. A new value replaces the old one at once; `muster credentials rotate` keeps the ' +
    'old one for a grace period.'
  static override hiddenAliases = ['credentials:replace']
  static override examples = [
    '$ <%= config.bin %> credentials update main --label "Team account"',
    '$ <%= config.bin %> credentials update main --value-stdin < key.txt',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    'value-stdin': Flags.boolean({ description: 'read a new value from standard input' }),
    ...credentialFlags,
  }

  async run(): Promise<void> {
    const { name, 'value-stdin': piped } = this.flags
    const id = await credentialId(this.api, this.args.credential)
    const value = piped ? await secret('New value', { piped }) : undefined
    const body = await credentialBody(this.api, this.flags)
    const credential = await this.api.credentials.update({ credentialId: id, body: given({ ...body, name, value }) })
    await this.out.done(`Changed credential ${credential.name}.`, credential, credentialView)
  }
}
