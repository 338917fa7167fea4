import { Args, Flags } from '@oclif/core'
import { issueBody, issueFlags } from '../../bodies/issues.ts'
import { ApiCommand } from '../../command.ts'
import { crewId } from '../../lookup.ts'
import { issueView } from '../../views/issues.ts'

export default class IssuesCreate extends ApiCommand<typeof IssuesCreate> {
  static override summary = 'Open an issue'
  static override examples = [
    '$ <%= config.bin %> issues create "Login fails on Safari" --crew web-team --label bug --priority high',
    '$ <%= config.bin %> issues create "Write the docs" --crew web-team --assignee ada --description @TASK.md',
    '$ git diff | <%= config.bin %> issues create "Review this" --crew web-team --description -',
  ]
  static override args = { title: Args.string({ required: true, description: 'title of the issue' }) }
  static override flags = {
    crew: Flags.string({ required: true, description: 'crew that works on it' }),
    ...issueFlags,
  }

  async run(): Promise<void> {
    const body = await issueBody(this.api, this.session, this.flags)
    const issue = await this.api.issues.create({
      crewId: await crewId(this.api, this.flags.crew),
      body: { ...body, title: this.args.title },
    })
    await this.out.done(`Opened issue ${issue.identifier}.`, issue, issueView)
  }
}
