import { Args, Flags } from '@oclif/core'
import { projectBody, projectFlags } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { projectId } from '../../lookup.ts'
import { projectView } from '../../views/projects.ts'

export default class ProjectsUpdate extends ApiCommand<typeof ProjectsUpdate> {
  static override summary = 'Change a project'
  static override description = 'Changes only what is given. Empty text clears a field.'
  static override examples = [
    '$ <%= config.bin %> projects update relaunch --health at_risk',
    '$ <%= config.bin %> projects update relaunch --lead grace@example.com',
  ]
  static override args = { project: Args.string({ required: true, description: 'slug or id of the project' }) }
  static override flags = { name: Flags.string({ description: 'new name' }), ...projectFlags }

  async run(): Promise<void> {
    const project = await this.api.projects.update({
      projectId: await projectId(this.api, this.args.project),
      body: await projectBody(this.api, this.session, this.flags),
    })
    await this.out.done(`Changed project ${project.slug}.`, project, projectView)
  }
}
