import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { projectId } from '../../lookup.ts'
import { milestoneView } from '../../views/projects.ts'

export default class MilestonesList extends ApiCommand<typeof MilestonesList> {
  static override summary = 'List the milestones of a project, by their place'
  static override examples = ['$ <%= config.bin %> milestones list relaunch']
  static override args = { project: Args.string({ required: true, description: 'slug or id of the project' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const id = await projectId(this.api, this.args.project)
    const rows = await windowed(this.flags, (query) => this.api.milestones.list({ projectId: id, query }))
    await this.out.list(rows, milestoneView)
  }
}
