import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { credentialId } from '../../lookup.ts'
import { credentialView } from '../../views/credentials.ts'

export default class CredentialsShow extends ApiCommand<typeof CredentialsShow> {
  static override summary = 'Show a credential without its value'
  static override examples = ['$ <%= config.bin %> credentials show main']
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }

  async run(): Promise<void> {
    await this.out.show(
      await this.api.credentials.show({ credentialId: await credentialId(this.api, this.args.credential) }),
      credentialView,
    )
  }
}
