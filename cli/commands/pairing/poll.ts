import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { status, when } from '../../output/cell.ts'

export default class PairingPoll extends ApiCommand<typeof PairingPoll> {
  static override summary = 'Show whether one of your pairing codes was used'
  static override examples = [
    '$ <%= config.bin %> pairing poll K7QX-M2PD',
    '$ <%= config.bin %> pairing poll K7QX-M2PD --jq .status',
  ]
  static override args = { code: Args.string({ required: true, description: 'pairing code' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.pairing.poll({ query: { code: this.args.code } }), {
      name: (it) => it.status,
      columns: {
        Status: (it) => status(it.status),
        For: (it) => it.adapter_hint,
        Expires: (it) => when(it.expires_at),
      },
    })
  }
}
