import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { milestoneId, projectId } from '../../lookup.ts'

export default class MilestonesRemove extends ApiCommand<typeof MilestonesRemove> {
  static override summary = 'Delete a milestone of a project'
  static override description = 'Its issues stay, without a milestone.'
  static override examples = ['$ <%= config.bin %> milestones remove relaunch Beta']
  static override args = {
    project: Args.string({ required: true, description: 'slug or id of the project' }),
    milestone: Args.string({ required: true, description: 'name or id of the milestone' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { project, milestone } = this.args
    const id = await milestoneId(this.api, await projectId(this.api, project), milestone)
    await this.confirm(`Delete milestone ${milestone} of project ${project}? Its issues stay.`)
    await this.api.milestones.remove({ milestoneId: id })
    await this.out.done(`Deleted milestone ${milestone}.`)
  }
}
