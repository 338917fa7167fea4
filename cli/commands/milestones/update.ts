import { Args, Flags } from '@oclif/core'
import { milestoneBody, milestoneFlags } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { milestoneId, projectId } from '../../lookup.ts'
import { milestoneView } from '../../views/projects.ts'

export default class MilestonesUpdate extends ApiCommand<typeof MilestonesUpdate> {
  static override summary = 'Change a milestone of a project'
  static override description = 'Changes only what is given. Empty text clears a field.'
  static override examples = ['$ <%= config.bin %> milestones update relaunch Beta --status completed']
  static override args = {
    project: Args.string({ required: true, description: 'slug or id of the project' }),
    milestone: Args.string({ required: true, description: 'name or id of the milestone' }),
  }
  static override flags = { name: Flags.string({ description: 'new name' }), ...milestoneFlags }

  async run(): Promise<void> {
    const project = await projectId(this.api, this.args.project)
    const milestone = await this.api.milestones.update({
      milestoneId: await milestoneId(this.api, project, this.args.milestone),
      body: milestoneBody(this.flags),
    })
    await this.out.done(`Changed milestone ${milestone.name}.`, milestone, milestoneView)
  }
}
