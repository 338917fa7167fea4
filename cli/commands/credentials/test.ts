import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { credentialId } from '../../lookup.ts'
import { testView } from '../../views/credentials.ts'

export default class CredentialsTest extends ApiCommand<typeof CredentialsTest> {
  static override summary = 'Test a stored credential with its provider'
  static override description = 'Exits with 1 if the provider refuses the value or cannot be reached.'
  static override examples = [
    '$ <%= config.bin %> credentials test main',
    '$ <%= config.bin %> credentials test main --jq .valid',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }

  async run(): Promise<void> {
    const id = await credentialId(this.api, this.args.credential)
    const result = await this.progress('Asking the provider', this.api.credentials.test({ credentialId: id }))
    await this.out.show(result, testView)
    if (!result.valid) this.finish(exits.other)
  }
}
