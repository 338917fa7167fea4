import { Args, Flags } from '@oclif/core'
import { matchTypes } from '#client/words'
import { triageBody, triageFlags } from '../../bodies/triage.ts'
import { ApiCommand } from '../../command.ts'
import { triageView } from '../../views/triage.ts'

export default class TriageCreate extends ApiCommand<typeof TriageCreate> {
  static override summary = 'Create a triage rule, which is tried after the others'
  static override examples = [
    '$ <%= config.bin %> triage create crashes --pattern crash --assignee ada --priority urgent',
    "$ <%= config.bin %> triage create tickets --pattern '^OPS-[0-9]+' --match-type regex --crew ops",
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the rule' }) }
  static override flags = {
    ...triageFlags,
    pattern: Flags.string({ required: true, helpValue: 'TEXT', description: 'what it looks for in the title' }),
  }

  async run(): Promise<void> {
    const { pattern, 'match-type': match_type = matchTypes[0] } = this.flags
    const body = await triageBody(this.api, this.flags)
    const rule = await this.api.triage.create({ body: { ...body, name: this.args.name, pattern, match_type } })
    await this.out.done(`Created triage rule ${rule.name}.`, rule, triageView)
  }
}
