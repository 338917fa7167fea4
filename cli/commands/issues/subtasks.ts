import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { issueAt } from '../../lookup.ts'
import { issueView } from '../../views/issues.ts'

export default class IssuesSubtasks extends ApiCommand<typeof IssuesSubtasks> {
  static override summary = 'List the issues below an issue'
  static override examples = ['$ <%= config.bin %> issues subtasks WEB-12']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = windowFlags

  async run(): Promise<void> {
    const at = await issueAt(this.api, this.args.issue)
    const rows = await windowed(this.flags, (query) => this.api.issues.subtasks({ ...at, query }), 100)
    await this.out.list(rows, issueView)
  }
}
