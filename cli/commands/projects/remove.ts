import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { projectId } from '../../lookup.ts'

export default class ProjectsRemove extends ApiCommand<typeof ProjectsRemove> {
  static override summary = 'Delete a project and its milestones'
  static override description = 'Its issues stay, without a project.'
  static override examples = [
    '$ <%= config.bin %> projects remove relaunch',
    '$ <%= config.bin %> projects rm relaunch --yes',
  ]
  static override args = { project: Args.string({ required: true, description: 'slug or id of the project' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { project } = this.args
    const id = await projectId(this.api, project)
    await this.confirm(`Delete project ${project} with its milestones? Its issues stay.`)
    await this.api.projects.remove({ projectId: id })
    await this.out.done(`Deleted project ${project}.`)
  }
}
