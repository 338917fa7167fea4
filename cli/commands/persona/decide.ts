import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { bareId } from '../../decisions/ids.ts'
import { given } from '../../flags.ts'
import { InputError } from '../../input.ts'

export default class PersonaDecide extends ApiCommand<typeof PersonaDecide> {
  static override summary = 'Take or refuse a persona that was suggested'
  static override description = 'The inbox shows the text. `muster approve` and `muster deny` do the same.'
  static override examples = [
    '$ <%= config.bin %> persona decide DECISION --approve',
    '$ <%= config.bin %> persona decide DECISION --deny --comment "too vague"',
  ]
  static override next = { approval_settled: 'muster decisions show DECISION', not_found: 'muster inbox list' }
  static override args = {
    decision: Args.string({ required: true, description: 'id of the suggestion, or of its inbox item' }),
  }
  static override flags = {
    approve: Flags.boolean({ description: 'the agent gets it', exclusive: ['deny'] }),
    deny: Flags.boolean({ description: 'the agent keeps what it has' }),
    comment: Flags.string({ char: 'm', helpValue: 'TEXT', description: 'comment, recorded in the journal' }),
  }

  async run(): Promise<void> {
    const { approve, deny, comment } = this.flags
    if (!approve && !deny) throw new InputError('Say what you decide.', 'repeat with --approve or --deny')
    const reply = await this.api.persona.decide({
      auditId: bareId(this.args.decision),
      body: given({ approve: approve === true, comment: comment || undefined }),
    })
    await this.out.done(approve ? 'Approved. The agent has it from its next task on.' : 'Denied.', reply)
  }
}
