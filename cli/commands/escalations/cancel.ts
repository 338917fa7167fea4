import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { bareId } from '../../decisions/ids.ts'
import { given } from '../../flags.ts'

export default class EscalationsCancel extends ApiCommand<typeof EscalationsCancel> {
  static override summary = "Withdraw an agent's question"
  static override description = 'The agent continues without an answer. A credential that it offered is erased.'
  static override examples = ['$ <%= config.bin %> escalations cancel ESCALATION --reason "asked twice"']
  static override next = {
    escalation_settled: 'muster escalations show ESCALATION',
    not_found: 'muster escalations list',
  }
  static override args = {
    escalation: Args.string({ required: true, description: 'id of the question, or of its inbox item' }),
  }
  static override flags = {
    reason: Flags.string({ helpValue: 'TEXT', description: 'reason, recorded in the journal' }),
  }

  async run(): Promise<void> {
    const { reason } = this.flags
    const reply = await this.api.escalations.cancel({
      escalationId: bareId(this.args.escalation),
      body: given({ reason: reason || undefined }),
    })
    await this.out.done('Withdrawn.', reply)
  }
}
