import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { projectId } from '../../lookup.ts'
import { projectView } from '../../views/projects.ts'

export default class ProjectsShow extends ApiCommand<typeof ProjectsShow> {
  static override summary = 'Show a project'
  static override examples = [
    '$ <%= config.bin %> projects show relaunch',
    '$ <%= config.bin %> projects show relaunch -o yaml',
  ]
  static override args = { project: Args.string({ required: true, description: 'slug or id of the project' }) }

  async run(): Promise<void> {
    const project = await this.api.projects.show({ projectId: await projectId(this.api, this.args.project) })
    await this.out.show(project, projectView)
  }
}
