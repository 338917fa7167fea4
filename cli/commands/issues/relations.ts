import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { issueAt } from '../../lookup.ts'
import { relationView } from '../../views/issues.ts'

export default class IssuesRelations extends ApiCommand<typeof IssuesRelations> {
  static override summary = 'List how an issue is related to others'
  static override examples = ['$ <%= config.bin %> issues relations WEB-12']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = windowFlags

  async run(): Promise<void> {
    const at = await issueAt(this.api, this.args.issue)
    const rows = await windowed(this.flags, (query) => this.api.issues.relations({ ...at, query }))
    await this.out.list(rows, relationView(at.id))
  }
}
