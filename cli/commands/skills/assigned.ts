import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { assignedSkillView } from '../../views/skills.ts'

export default class SkillsAssigned extends ApiCommand<typeof SkillsAssigned> {
  static override summary = 'List the skills of an agent'
  static override examples = ['$ <%= config.bin %> skills assigned ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const rows = await this.api.skills.assigned({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.list(limited(rows, this.flags), assignedSkillView)
  }
}
