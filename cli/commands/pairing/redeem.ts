import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class PairingRedeem extends ApiCommand<typeof PairingRedeem> {
  static override summary = 'Exchange a pairing code for a token, without storing it'
  static override description =
    'Writes the token to standard output; it is shown only once. `muster login --code` stores it instead.'
  static override examples = ['$ <%= config.bin %> pairing redeem K7QX-M2PD > token.txt']
  static override next = { invalid_code: 'muster pair, where you are signed in, makes a new code' }
  static override args = { code: Args.string({ required: true, description: 'pairing code' }) }
  static override flags = {
    hint: Flags.string({ helpValue: 'NAME', description: 'purpose of the device, such as CLAUDE_CODE' }),
  }

  async run(): Promise<void> {
    const { hint } = this.flags
    const redeemed = await this.api.pairing.redeem({
      body: given({ code: this.args.code, adapter_hint: hint || undefined }),
    })
    if (this.out.wanted.format !== 'auto' && this.out.wanted.format !== 'name') return this.out.value(redeemed)
    this.out.note(`A token of ${redeemed.email}, shown this once:`)
    this.out.text(`${redeemed.cli_token}\n`)
  }
}
