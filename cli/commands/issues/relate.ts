import { Args } from '@oclif/core'
import { relationTypes } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { oneOf } from '../../flags.ts'
import { issueAt } from '../../lookup.ts'

export default class IssuesRelate extends ApiCommand<typeof IssuesRelate> {
  static override summary = 'Relate an issue to another one'
  static override examples = [
    '$ <%= config.bin %> issues relate WEB-12 WEB-7',
    '$ <%= config.bin %> issues relate WEB-12 OPS-3 --type blocked_by',
  ]
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
    other: Args.string({ required: true, description: 'identifier of the other issue' }),
  }
  static override flags = {
    type: oneOf(relationTypes, { description: 'what the first is to the other; relates_to unless given' }),
  }

  async run(): Promise<void> {
    const { issue, other } = this.args
    const at = await issueAt(this.api, issue)
    const target = (await issueAt(this.api, other)).identifier
    const relation_type = this.flags.type ?? 'relates_to'
    const reply = await this.api.issues.relate({ ...at, body: { target_identifier: target, relation_type } })
    await this.out.done(`${at.identifier} ${relation_type.replace('_', ' ')} ${target}.`, reply)
  }
}
