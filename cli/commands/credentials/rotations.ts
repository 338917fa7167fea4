import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { credentialId } from '../../lookup.ts'
import { rotationView } from '../../views/credentials.ts'

export default class CredentialsRotations extends ApiCommand<typeof CredentialsRotations> {
  static override summary = 'List the rotations of a credential, newest first'
  static override examples = ['$ <%= config.bin %> credentials rotations main']
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const id = await credentialId(this.api, this.args.credential)
    await this.out.list(
      await windowed(this.flags, (query) => this.api.credentials.rotations({ credentialId: id, query })),
      rotationView,
    )
  }
}
