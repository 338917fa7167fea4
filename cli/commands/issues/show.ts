import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { issueName } from '../../lookup.ts'
import { renderMarkdown } from '../../markdown/render.ts'
import { painted } from '../../markdown/rows.ts'
import { issueView } from '../../views/issues.ts'

export default class IssuesShow extends ApiCommand<typeof IssuesShow> {
  static override summary = 'Show an issue with its description'
  static override examples = ['$ <%= config.bin %> issues show WEB-12', '$ <%= config.bin %> issues show web-12 --json']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }

  async run(): Promise<void> {
    const found = await this.api.issues.find({ identifier: issueName(this.args.issue) })
    await this.out.show(found, issueView)
    if (this.out.wanted.format !== 'auto' || !found.description) return
    const rows = renderMarkdown(found.description, this.out.width)
    this.out.text(`\n${rows.map((row) => painted(row, this.out.paint)).join('\n')}\n`)
  }
}
