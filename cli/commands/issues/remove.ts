import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'
import { issueAt } from '../../lookup.ts'

export default class IssuesRemove extends ApiCommand<typeof IssuesRemove> {
  static override summary = 'Delete an issue with what was said about it'
  static override description = 'Only from BACKLOG or CANCELLED.'
  static override next = { transition_refused: 'muster issues update ISSUE --status CANCELLED' }
  static override examples = ['$ <%= config.bin %> issues remove WEB-12', '$ <%= config.bin %> issues rm WEB-12 --yes']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = yesFlag

  async run(): Promise<void> {
    const at = await issueAt(this.api, this.args.issue)
    await this.confirm(`Delete issue ${at.identifier} with its comments?`)
    await this.api.issues.remove(at)
    await this.out.done(`Deleted issue ${at.identifier}.`)
  }
}
