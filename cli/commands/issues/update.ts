import { Args, Flags } from '@oclif/core'
import { issueBody, issueFlags, issueStatusFlag } from '../../bodies/issues.ts'
import { ApiCommand } from '../../command.ts'
import { issueAt } from '../../lookup.ts'
import { issueView } from '../../views/issues.ts'

export default class IssuesUpdate extends ApiCommand<typeof IssuesUpdate> {
  static override summary = 'Change an issue'
  static override description = 'Changes only what is given. Empty text clears a field.'
  static override next = { transition_refused: 'muster issues show ISSUE' }
  static override examples = [
    '$ <%= config.bin %> issues update WEB-12 --status todo',
    '$ <%= config.bin %> issues update WEB-12 --assignee ada --priority urgent',
    '$ <%= config.bin %> issues update WEB-12 --label bug --label web',
  ]
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = {
    title: Flags.string({ description: 'new title' }),
    status: issueStatusFlag('new status'),
    ...issueFlags,
  }

  async run(): Promise<void> {
    const { title, status } = this.flags
    const body = await issueBody(this.api, this.session, this.flags)
    const issue = await this.api.issues.update({
      ...(await issueAt(this.api, this.args.issue)),
      body: { ...body, ...(title !== undefined && { title }), ...(status && { status }) },
    })
    await this.out.done(`Changed issue ${issue.identifier}.`, issue, issueView)
  }
}
