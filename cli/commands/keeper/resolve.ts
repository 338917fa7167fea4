import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'

export default class KeeperResolve extends ApiCommand<typeof KeeperResolve> {
  static override summary = 'Decide a request that the judge put before people'
  static override description = 'The first decision counts. An agent that waits goes on at once.'
  static override examples = [
    '$ <%= config.bin %> keeper resolve REQUEST ALLOW',
    '$ <%= config.bin %> keeper resolve REQUEST DENY --reason "Not before the release"',
  ]
  static override next = {
    not_found: 'muster keeper requests --decision ESCALATE',
    keeper_settled: 'muster keeper history REQUEST',
    second_approver_required: 'muster members list',
  }
  static override args = {
    request: Args.string({ required: true, description: 'id of the request' }),
    verdict: Args.string({ required: true, options: ['ALLOW', 'DENY'], description: 'what is decided' }),
  }
  static override flags = {
    reason: Flags.string({ helpValue: 'TEXT', description: 'reason, which the agent reads' }),
  }

  async run(): Promise<void> {
    const decision = this.args.verdict as 'ALLOW' | 'DENY'
    const reply = await this.api.keeper.resolve({
      requestId: this.args.request,
      body: given({ decision, reason: this.flags.reason }),
    })
    await this.out.done(decision === 'ALLOW' ? 'Allowed.' : 'Denied.', reply)
  }
}
