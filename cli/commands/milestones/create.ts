import { Args } from '@oclif/core'
import { milestoneBody, milestoneFlags } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { projectId } from '../../lookup.ts'
import { milestoneView } from '../../views/projects.ts'

export default class MilestonesCreate extends ApiCommand<typeof MilestonesCreate> {
  static override summary = 'Create a milestone of a project'
  static override examples = ['$ <%= config.bin %> milestones create relaunch Beta --target 2027-01-15']
  static override args = {
    project: Args.string({ required: true, description: 'slug or id of the project' }),
    name: Args.string({ required: true, description: 'name of the milestone' }),
  }
  static override flags = milestoneFlags

  async run(): Promise<void> {
    const milestone = await this.api.milestones.create({
      projectId: await projectId(this.api, this.args.project),
      body: { ...milestoneBody(this.flags), name: this.args.name },
    })
    await this.out.done(`Created milestone ${milestone.name}.`, milestone, milestoneView)
  }
}
