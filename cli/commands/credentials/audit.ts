import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given, listFlags, windowSize } from '../../flags.ts'
import { credentialId } from '../../lookup.ts'
import { auditView } from '../../views/credentials.ts'

export default class CredentialsAudit extends ApiCommand<typeof CredentialsAudit> {
  static override summary = 'List who did what with a credential, newest first'
  static override examples = [
    '$ <%= config.bin %> credentials audit main',
    '$ <%= config.bin %> credentials audit main --limit 500 -o ndjson',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const { all, limit } = this.flags
    const id = await credentialId(this.api, this.args.credential)
    await this.out.list(
      // The service gives no more than the newest 500.
      await this.api.credentials.audit({ credentialId: id, query: all ? { limit: windowSize } : given({ limit }) }),
      auditView,
    )
  }
}
