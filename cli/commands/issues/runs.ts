import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { issueAt } from '../../lookup.ts'
import { issueRunView } from '../../views/issues.ts'

export default class IssuesRuns extends ApiCommand<typeof IssuesRuns> {
  static override summary = 'List the runs of an issue, newest first'
  static override examples = ['$ <%= config.bin %> issues runs WEB-12']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = windowFlags

  async run(): Promise<void> {
    const at = await issueAt(this.api, this.args.issue)
    const rows = await windowed(this.flags, (query) => this.api.issues.runs({ ...at, query }), 100)
    await this.out.list(rows, issueRunView)
  }
}
