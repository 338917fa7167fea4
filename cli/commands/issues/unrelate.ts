import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed } from '../../flags.ts'
import { NotFound } from '../../lookup/find.ts'
import { issueAt } from '../../lookup.ts'

export default class IssuesUnrelate extends ApiCommand<typeof IssuesUnrelate> {
  static override summary = 'Remove the relation of two issues'
  static override examples = ['$ <%= config.bin %> issues unrelate WEB-12 WEB-7']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
    other: Args.string({ required: true, description: 'identifier of the other issue' }),
  }

  async run(): Promise<void> {
    const { issue, other } = this.args
    const at = await issueAt(this.api, issue)
    const target = (await issueAt(this.api, other)).identifier
    const rows = await windowed({ all: true }, (query) => this.api.issues.relations({ ...at, query }))
    const found = rows.find(({ target_identifier }) => target_identifier === target)
    if (!found) throw new NotFound('relation', `${issue} ${other}`, undefined, 'muster issues relations ISSUE')
    await this.api.issues.unrelate({ relationId: found.id })
    await this.out.done(`${at.identifier} and ${target} are no longer related.`)
  }
}
