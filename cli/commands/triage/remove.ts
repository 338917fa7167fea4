import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { triageRuleId } from '../../lookup.ts'

export default class TriageRemove extends ApiCommand<typeof TriageRemove> {
  static override summary = 'Delete a triage rule'
  static override examples = ['$ <%= config.bin %> triage remove crashes']
  static override args = { rule: Args.string({ required: true, description: 'name or id of the rule' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { rule } = this.args
    const id = await triageRuleId(this.api, rule)
    await this.confirm(`Delete triage rule ${rule}?`)
    await this.api.triage.remove({ ruleId: id })
    await this.out.done(`Deleted triage rule ${rule}.`)
  }
}
