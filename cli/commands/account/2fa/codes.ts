import { ApiCommand } from '../../../command.ts'
import { giveCodes, saveFlag } from '../../../two-factor/codes.ts'
import { codeFlag, codeOf, remedies } from '../../../two-factor/proof.ts'

export default class TwoFactorCodes extends ApiCommand<typeof TwoFactorCodes> {
  static override summary = 'Generate new recovery codes, which replace the old ones'
  static override description = 'Writes them to standard output; they are shown only once.'
  static override hiddenAliases = ['totp:renew']
  static override examples = [
    '$ <%= config.bin %> account 2fa codes',
    '$ <%= config.bin %> account 2fa codes --code 492039 > recovery-codes.txt',
  ]
  static override next = remedies
  static override flags = { ...codeFlag, ...saveFlag }

  async run(): Promise<void> {
    const code = await codeOf(this.flags.code)
    await giveCodes(this.out, await this.api.totp.renew({ body: { code } }), this.flags.save)
    await this.out.done('The old recovery codes no longer work.')
  }
}
