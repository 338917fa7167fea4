import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { skillDetailView } from '../../views/skills.ts'

export default class SkillsShow extends ApiCommand<typeof SkillsShow> {
  static override summary = 'Show a skill with its text'
  static override examples = ['$ <%= config.bin %> skills show pdf']
  static override next = { not_found: 'muster skills list' }
  static override args = { skill: Args.string({ required: true, description: 'name of the skill' }) }

  async run(): Promise<void> {
    const skill = await this.api.skills.show({ skillId: this.args.skill, query: {} })
    await this.out.show(skill, skillDetailView)
  }
}
