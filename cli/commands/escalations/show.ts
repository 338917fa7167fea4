import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { bareId } from '../../decisions/ids.ts'
import { escalationView } from '../../views/escalations.ts'

export default class EscalationsShow extends ApiCommand<typeof EscalationsShow> {
  static override summary = "Show an agent's question and its answer"
  static override examples = ['$ <%= config.bin %> escalations show ESCALATION']
  static override next = { not_found: 'muster escalations list --status all' }
  static override args = {
    escalation: Args.string({ required: true, description: 'id of the question, or of its inbox item' }),
  }

  async run(): Promise<void> {
    await this.out.show(await this.api.escalations.show({ escalationId: bareId(this.args.escalation) }), escalationView)
  }
}
