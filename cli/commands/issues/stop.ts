import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { issueAt } from '../../lookup.ts'

export default class IssuesStop extends ApiCommand<typeof IssuesStop> {
  static override summary = 'End the runs of an issue, which goes back to TODO'
  static override examples = ['$ <%= config.bin %> issues stop WEB-12']
  static override args = {
    issue: Args.string({ required: true, description: 'identifier of the issue, such as WEB-12' }),
  }

  async run(): Promise<void> {
    const at = await issueAt(this.api, this.args.issue)
    const reply = await this.api.issues.stop(at)
    await this.out.done(`Stopped the agents of ${at.identifier}.`, reply)
  }
}
