import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'

export default class SkillsUnassign extends ApiCommand<typeof SkillsUnassign> {
  static override summary = 'Take a skill back from an agent'
  static override examples = ['$ <%= config.bin %> skills unassign pdf --agent ada']
  static override next = { not_found: 'muster skills assigned AGENT' }
  static override args = { skill: Args.string({ required: true, description: 'name of the skill' }) }
  static override flags = { agent: Flags.string({ required: true, description: 'agent that has the skill' }) }

  async run(): Promise<void> {
    const { agent } = this.flags
    const { skill } = this.args
    await this.api.skills.unassign({ agentId: await agentId(this.api, agent), skillId: skill })
    await this.out.done(`Took ${skill} from ${agent}.`)
  }
}
