import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { rotationView } from '../../views/credentials.ts'

export default class CredentialsCancel extends ApiCommand<typeof CredentialsCancel> {
  static override summary = "End a rotation's grace period and erase the old value"
  static override examples = ['$ <%= config.bin %> credentials cancel ROTATION']
  static override next = { not_found: 'muster credentials rotations CREDENTIAL' }
  static override args = { rotation: Args.string({ required: true, description: 'id of the rotation' }) }

  async run(): Promise<void> {
    const rotation = await this.api.credentials.cancel({ rotationId: this.args.rotation })
    await this.out.done('The old value is erased.', rotation, rotationView)
  }
}
