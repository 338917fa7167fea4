import { Args, Flags } from '@oclif/core'
import { workerCalled } from '../../bodies/work.ts'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { InputError, words } from '../../input.ts'
import { issueAt } from '../../lookup.ts'

export default class IssuesReview extends ApiCommand<typeof IssuesReview> {
  static override summary = 'Approve what was done on an issue, or ask for changes'
  static override examples = [
    '$ <%= config.bin %> issues review WEB-12 --approve',
    '$ <%= config.bin %> issues review WEB-12 --request-changes -m "Tests are missing" --reassign-to ada',
  ]
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }
  static override flags = {
    approve: Flags.boolean({ description: 'the issue is done', exclusive: ['request-changes'] }),
    'request-changes': Flags.boolean({ description: 'the issue goes back to TODO' }),
    comment: Flags.string({
      char: 'm',
      helpValue: 'TEXT',
      description: 'a comment; @FILE reads a file, - standard input',
    }),
    'reassign-to': Flags.string({ helpValue: 'WHO', description: 'agent or email of the member who goes on' }),
  }

  async run(): Promise<void> {
    const { approve, comment, 'request-changes': changes, 'reassign-to': next } = this.flags
    if (!approve && !changes) throw new InputError('Say what you decide.', 'repeat with --approve or --request-changes')
    const at = await issueAt(this.api, this.args.issue)
    const action = approve ? ('approve' as const) : ('request_changes' as const)
    const reassign_to = next && (await workerCalled(this.api, this.session, next)).id
    const said = comment && (await words(comment))
    const reply = await this.api.issues.review({ ...at, body: given({ action, comment: said, reassign_to }) })
    await this.out.done(`${at.identifier} ${approve ? 'is DONE' : 'goes back to TODO'}.`, reply)
  }
}
