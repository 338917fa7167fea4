import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { workspaceInUse } from '../contexts/session.ts'
import { decide } from '../decisions/decide.ts'

export default class Deny extends ApiCommand<typeof Deny> {
  static override summary = 'Deny a request that waits for a decision'
  static override description =
    'Takes the id of whatever waits for a decision, such as an approval or the question of an agent, ' +
    'or of its inbox item.'
  static override result = {
    of: [
      'approvals.decide',
      'waitpoints.approve',
      'escalations.resolve',
      'inbox.act',
      'routines.reject',
      'consolidate.reject',
    ],
  }
  static override examples = [
    '$ <%= config.bin %> deny ITEM',
    '$ <%= config.bin %> deny APPROVAL --comment "as agreed"',
  ]
  static override next = {
    approval_settled: 'muster inbox list',
    escalation_settled: 'muster escalations show ITEM',
    not_found: 'muster inbox list',
  }
  static override args = { id: Args.string({ required: true, description: 'id of the request, or of its inbox item' }) }
  static override flags = {
    comment: Flags.string({ char: 'm', helpValue: 'TEXT', description: 'reason, passed on to a waiting agent' }),
  }

  async run(): Promise<void> {
    const { comment } = this.flags
    const { sentence, reply } = await decide(this.api, workspaceInUse(this.session), this.args.id, {
      means: 'deny',
      ...(comment && { comment }),
    })
    await this.out.done(sentence, reply)
  }
}
