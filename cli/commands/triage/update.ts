import { Args, Flags } from '@oclif/core'
import { triageBody, triageFlags } from '../../bodies/triage.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { triageRuleId } from '../../lookup.ts'
import { triageView } from '../../views/triage.ts'

export default class TriageUpdate extends ApiCommand<typeof TriageUpdate> {
  static override summary = 'Change a triage rule'
  static override description = 'Changes only what is given. Empty text clears a field.'
  static override examples = [
    '$ <%= config.bin %> triage update crashes --no-enabled',
    '$ <%= config.bin %> triage update crashes --position 0',
  ]
  static override args = { rule: Args.string({ required: true, description: 'name or id of the rule' }) }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    ...triageFlags,
    position: Flags.integer({ min: 0, description: 'its place among the others, from 0' }),
    enabled: Flags.boolean({ allowNo: true, description: 'whether it is tried' }),
  }

  async run(): Promise<void> {
    const { name, position, enabled } = this.flags
    const body = await triageBody(this.api, this.flags)
    const rule = await this.api.triage.update({
      ruleId: await triageRuleId(this.api, this.args.rule),
      body: { ...body, ...given({ name, position, enabled }) },
    })
    await this.out.done(`Changed triage rule ${rule.name}.`, rule, triageView)
  }
}
