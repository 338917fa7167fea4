import { Args, Flags } from '@oclif/core'
import { valueFlag } from '../../bodies/credentials.ts'
import { ApiCommand } from '../../command.ts'
import { durationMs, given } from '../../flags.ts'
import { secret } from '../../input.ts'
import { credentialId } from '../../lookup.ts'
import { rotationView } from '../../views/credentials.ts'

export default class CredentialsRotate extends ApiCommand<typeof CredentialsRotate> {
  static override summary = "Replace a credential's value, with a grace period for the old one"
  static override examples = [
    '$ <%= config.bin %> credentials rotate main',
    '$ <%= config.bin %> credentials rotate main --grace 1h --value-stdin < key.txt',
  ]
  static override args = { credential: Args.string({ required: true, description: 'name or id of the credential' }) }
  static override flags = {
    grace: Flags.string({
      helpValue: 'DURATION',
      description: 'how long to keep the old value, up to 7d (default 1d)',
    }),
    ...valueFlag,
  }

  async run(): Promise<void> {
    const { grace } = this.flags
    const id = await credentialId(this.api, this.args.credential)
    const kept = durationMs(grace, '--grace')
    const value = await secret(`New value of ${this.args.credential}`, { piped: this.flags['value-stdin'] })
    const rotation = await this.api.credentials.rotate({
      credentialId: id,
      body: given({ value, grace_seconds: kept === undefined ? undefined : Math.round(kept / 1000) }),
    })
    await this.out.done(
      `Rotated ${this.args.credential}; the old value is kept until ${rotation.expires_at}.`,
      rotation,
      rotationView,
    )
  }
}
