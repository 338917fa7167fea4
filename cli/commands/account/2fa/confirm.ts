import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { giveCodes, saveFlag } from '../../../two-factor/codes.ts'
import { codeOf, remedies } from '../../../two-factor/proof.ts'

export default class TwoFactorConfirm extends ApiCommand<typeof TwoFactorConfirm> {
  static override summary = 'Finish setting up the second factor with a first code'
  static override description = 'Writes ten recovery codes to standard output; they are shown only once.'
  static override hiddenAliases = ['totp:confirm']
  static override examples = [
    '$ <%= config.bin %> account 2fa confirm 492039',
    '$ <%= config.bin %> account 2fa confirm 492039 > recovery-codes.txt',
  ]
  static override next = remedies
  static override args = { code: Args.string({ description: 'current code from the authenticator app' }) }
  static override flags = saveFlag

  async run(): Promise<void> {
    const code = await codeOf(this.args.code, 'Code that the app shows now')
    await giveCodes(this.out, await this.api.totp.confirm({ body: { code } }), this.flags.save)
    await this.out.done('Your second factor is on.')
  }
}
