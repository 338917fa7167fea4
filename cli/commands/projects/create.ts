import { Args } from '@oclif/core'
import { projectBody, projectFlags } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { projectView } from '../../views/projects.ts'

export default class ProjectsCreate extends ApiCommand<typeof ProjectsCreate> {
  static override summary = 'Create a project'
  static override examples = [
    '$ <%= config.bin %> projects create "Relaunch"',
    '$ <%= config.bin %> projects create Relaunch --status backlog --lead ada --target 2027-03-01',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the project' }) }
  static override flags = projectFlags

  async run(): Promise<void> {
    const body = await projectBody(this.api, this.session, this.flags)
    const project = await this.api.projects.create({ body: { ...body, name: this.args.name } })
    await this.out.done(`Created project ${project.slug}.`, project, projectView)
  }
}
