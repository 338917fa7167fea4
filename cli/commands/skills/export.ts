import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { writeSkill } from '../../skills/folder.ts'

export default class SkillsExport extends ApiCommand<typeof SkillsExport> {
  static override summary = 'Write a skill into a folder, as it was imported'
  static override result = { members: ['folder'] }
  static override examples = ['$ <%= config.bin %> skills export pdf', '$ <%= config.bin %> skills export pdf --to ./x']
  static override next = { not_found: 'muster skills list' }
  static override args = { skill: Args.string({ required: true, description: 'name of the skill' }) }
  static override flags = { to: Flags.string({ helpValue: 'FOLDER', description: 'a new folder; its name if not' }) }

  async run(): Promise<void> {
    const skill = await this.api.skills.show({ skillId: this.args.skill, query: { files: '1' } })
    const to = this.flags.to ?? skill.slug
    if (!this.dry) writeSkill(to, skill)
    await this.out.done(`Wrote ${to}.`, { folder: to })
  }
}
