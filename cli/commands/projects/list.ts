import { projectStatuses } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, oneOf, windowed, windowFlags } from '../../flags.ts'
import { projectView } from '../../views/projects.ts'

export default class ProjectsList extends ApiCommand<typeof ProjectsList> {
  static override summary = 'List projects, newest first'
  static override examples = ['$ <%= config.bin %> projects', '$ <%= config.bin %> projects list --status in_progress']
  static override flags = {
    status: oneOf(projectStatuses, { description: 'only projects that are so far' }),
    ...windowFlags,
  }

  async run(): Promise<void> {
    const { status } = this.flags
    const rows = await windowed(this.flags, (window) =>
      this.api.projects.list({ query: { ...given({ status }), ...window } }),
    )
    await this.out.list(rows, projectView)
  }
}
