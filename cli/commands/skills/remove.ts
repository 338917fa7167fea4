import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { yesFlag } from '../../flags.ts'

export default class SkillsRemove extends ApiCommand<typeof SkillsRemove> {
  static override summary = 'Delete a skill'
  static override examples = ['$ <%= config.bin %> skills remove pdf --yes']
  static override next = { not_found: 'muster skills list' }
  static override args = { skill: Args.string({ required: true, description: 'name of the skill' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { skill } = this.args
    await this.confirm(`Delete skill ${skill}?`)
    const gone = await this.api.skills.remove({ workspaceId: workspaceInUse(this.session), skillId: skill })
    await this.out.done(`Deleted skill ${skill}.`, gone)
  }
}
