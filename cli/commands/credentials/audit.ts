import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { credentialId } from '../../lookup.ts'
import { auditView } from '../../views/credentials.ts'

export default class CredentialsAudit extends ApiCommand<typeof CredentialsAudit> {
  static override summary = 'List who did what with a credential, newest first'
  static override examples = [
    '$ <%= config.bin %> credentials audit main',
    '$ <%= config.bin %> credentials audit main --limit 500 -o ndjson',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = {
    limit: Flags.integer({ min: 1, max: 500, helpValue: 'N', description: 'maximum number of rows' }),
  }

  async run(): Promise<void> {
    const { limit } = this.flags
    const id = await credentialId(this.api, this.args.credential)
    await this.out.list(
      await this.api.credentials.audit({ credentialId: id, query: { ...(limit && { limit }) } }),
      auditView,
    )
  }
}
