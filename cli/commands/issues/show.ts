import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { issueName } from '../../lookup.ts'
import { renderMarkdown } from '../../markdown/render.ts'
import { painted } from '../../markdown/rows.ts'
import { shellWord } from '../../output/shell-word.ts'
import { issueView } from '../../views/issues.ts'

export default class IssuesShow extends ApiCommand<typeof IssuesShow> {
  static override summary = 'Show an issue with its description and last run'
  static override examples = ['$ <%= config.bin %> issues show WEB-12', '$ <%= config.bin %> issues show web-12 --json']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }

  async run(): Promise<void> {
    const found = await this.api.issues.find({ identifier: issueName(this.args.issue) })
    await this.out.show(found, issueView)
    if (this.out.wanted.format !== 'auto') return
    if (found.description) {
      const rows = renderMarkdown(found.description, this.out.width)
      this.out.text(`\n${rows.map((row) => painted(row, this.out.paint)).join('\n')}\n`)
    }
    if (found.session_status || found.routine_id) await this.tellRun(found.crew_id, found.identifier)
  }

  private async tellRun(crewId: string, identifier: string): Promise<void> {
    const [last] = await this.api.issues.runs({ crewId, identifier, query: { limit: 1 } })
    if (!last) return
    const show = last.routine_slug ? 'routines result' : 'runs show'
    this.out.note(`Last run: ${last.status}. Next: muster ${show} ${shellWord(last.id)}`, 'dim')
  }
}
