import { Args } from '@oclif/core'
import { issueBody, issueFlags, issueStatusFlag } from '../../bodies/issues.ts'
import { ApiCommand } from '../../command.ts'
import { issueName } from '../../lookup.ts'

export default class IssuesBulk extends ApiCommand<typeof IssuesBulk> {
  static override summary = 'Change several issues at once, all or none'
  static override examples = [
    '$ <%= config.bin %> issues bulk WEB-1 WEB-2 --status todo',
    '$ <%= config.bin %> issues bulk WEB-1 WEB-2 --assignee ada --priority high',
  ]
  static override args = {
    issues: Args.string({ required: true, multiple: true, description: 'identifiers of the issues' }),
  }
  static override flags = {
    status: issueStatusFlag('new status'),
    priority: issueFlags.priority,
    assignee: issueFlags.assignee,
    label: issueFlags.label,
    project: issueFlags.project,
  }

  async run(): Promise<void> {
    const { status } = this.flags
    const body = await issueBody(this.api, this.session, this.flags)
    const ids = this.args.issues.map(issueName)
    const { updated } = await this.api.issues.bulk({ body: { ids, updates: { ...body, ...(status && { status }) } } })
    await this.out.done(`Changed ${updated} ${updated === 1 ? 'issue' : 'issues'}.`)
  }
}
