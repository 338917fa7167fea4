import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { decisionView } from '../../views/decisions.ts'

export default class DecisionsShow extends ApiCommand<typeof DecisionsShow> {
  static override summary = 'Show how a request that waits for a person can be decided'
  static override description =
    'Takes the id of whatever waits for a decision, or of its inbox item. Decide it with ' +
    '`muster approve`, `muster deny` or `muster inbox`.'
  static override examples = [
    '$ <%= config.bin %> decisions show ibx_escalation_c0mjuohs005e6fu6qxd87qvyr',
    '$ <%= config.bin %> decisions show APPROVAL --jq .decides',
  ]
  static override next = { not_found: 'muster inbox list' }
  static override args = {
    decision: Args.string({ required: true, description: 'id of the request, or of its inbox item' }),
  }

  async run(): Promise<void> {
    await this.out.show(await this.api.decisions.show({ decisionId: this.args.decision }), decisionView)
  }
}
