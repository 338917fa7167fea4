import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'

export default class SkillsAssign extends ApiCommand<typeof SkillsAssign> {
  static override summary = 'Give a skill to an agent, from its next run on'
  static override description = 'Its client loads the skill as its own, with its scripts: docs/skills.md.'
  static override examples = ['$ <%= config.bin %> skills assign pdf --agent ada']
  static override next = { not_found: 'muster skills list' }
  static override args = { skill: Args.string({ required: true, description: 'name of the skill' }) }
  static override flags = { agent: Flags.string({ required: true, description: 'agent that gets the skill' }) }

  async run(): Promise<void> {
    const { agent } = this.flags
    const { skill } = this.args
    const body = { skill_id: skill }
    const made = await this.api.skills.assign({ agentId: await agentId(this.api, agent), body })
    await this.out.done(`Gave ${skill} to ${agent}.`, made, { name: ({ id }) => id, columns: { ID: ({ id }) => id } })
  }
}
