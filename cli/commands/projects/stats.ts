import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { projectId } from '../../lookup.ts'
import { projectStatsView } from '../../views/projects.ts'

export default class ProjectsStats extends ApiCommand<typeof ProjectsStats> {
  static override summary = 'Count the issues of a project by status, assignee and label'
  static override examples = [
    '$ <%= config.bin %> projects stats relaunch',
    "$ <%= config.bin %> projects stats relaunch --jq '.by_status'",
  ]
  static override args = { project: Args.string({ required: true, description: 'slug or id of the project' }) }

  async run(): Promise<void> {
    const stats = await this.api.projects.stats({ projectId: await projectId(this.api, this.args.project) })
    await this.out.show(stats, projectStatsView)
  }
}
