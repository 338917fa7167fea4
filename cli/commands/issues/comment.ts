import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { words } from '../../input.ts'
import { issueAt } from '../../lookup.ts'
import { commentView } from '../../views/issues.ts'

export default class IssuesComment extends ApiCommand<typeof IssuesComment> {
  static override summary = 'Comment on an issue'
  static override examples = [
    '$ <%= config.bin %> issues comment WEB-12 "It works on Firefox"',
    '$ git log -3 | <%= config.bin %> issues comment WEB-12 -',
  ]
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
    text: Args.string({ required: true, description: 'the comment; @FILE reads a file, - standard input' }),
  }

  async run(): Promise<void> {
    const { issue, text } = this.args
    const at = await issueAt(this.api, issue)
    const body = await words(text)
    const comment = await this.api.issues.comment({ ...at, body: { body } })
    await this.out.done(`Commented on ${at.identifier}.`, comment, commentView)
  }
}
