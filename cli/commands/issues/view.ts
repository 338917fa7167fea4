import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed } from '../../flags.ts'
import { issuePage, type WholeIssue } from '../../issues/page.ts'
import { issueName } from '../../lookup.ts'
import { painted } from '../../markdown/rows.ts'
import { issueView } from '../../views/issues.ts'

const newest = 20

export default class IssuesView extends ApiCommand<typeof IssuesView> {
  static override summary = 'Show an issue with its comments, runs and activity'
  static override description = 'Descriptions and comments are Markdown. Of runs and activity it has the newest 20.'
  static override result = { of: ['issues.find'], members: ['comments', 'runs', 'activity'] }
  static override examples = [
    '$ <%= config.bin %> issues view WEB-12',
    "$ <%= config.bin %> issues view WEB-12 --jq '.comments[-1].body'",
  ]
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }

  async run(): Promise<void> {
    const issue = await this.api.issues.find({ identifier: issueName(this.args.issue) })
    const at = { crewId: issue.crew_id, identifier: issue.identifier }
    const query = { limit: newest }
    const [comments, runs, activity] = await Promise.all([
      windowed({ all: true }, (window) => this.api.issues.comments({ ...at, query: window })),
      this.api.issues.runs({ ...at, query }),
      this.api.issues.activity({ ...at, query }),
    ])
    const whole: WholeIssue = { ...issue, comments, runs, activity }
    const { format, jq } = this.out.wanted
    if (format !== 'auto' || jq !== undefined) return this.out.show(whole, issueView)
    const rows = issuePage(whole, Math.min(this.out.width, 100))
    this.out.text(`${rows.map((row) => painted(row, this.out.paint)).join('\n')}\n`)
  }
}
