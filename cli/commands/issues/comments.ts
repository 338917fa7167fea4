import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { issueAt } from '../../lookup.ts'
import { commentView } from '../../views/issues.ts'

export default class IssuesComments extends ApiCommand<typeof IssuesComments> {
  static override summary = 'List the comments on an issue, oldest first'
  static override examples = ['$ <%= config.bin %> issues comments WEB-12']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = windowFlags

  async run(): Promise<void> {
    const at = await issueAt(this.api, this.args.issue)
    const rows = await windowed(this.flags, (query) => this.api.issues.comments({ ...at, query }))
    await this.out.list(rows, commentView)
  }
}
