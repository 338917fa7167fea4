import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { credentialView } from '../../views/credentials.ts'

export default class CredentialsList extends ApiCommand<typeof CredentialsList> {
  static override summary = 'List credentials without their values'
  static override examples = [
    '$ <%= config.bin %> credentials',
    '$ <%= config.bin %> credentials list --json=name,status',
  ]
  static override flags = windowFlags

  async run(): Promise<void> {
    await this.out.list(await windowed(this.flags, (query) => this.api.credentials.list({ query })), credentialView)
  }
}
