import { ApiCommand } from '../../command.ts'

export default class TriageProcess extends ApiCommand<typeof TriageProcess> {
  static override summary = 'Try the triage rules on all issues of the backlog that nobody works on'
  static override description = 'The first rule that fits the title of an issue decides. Sub-issues are left alone.'
  static override examples = ['$ <%= config.bin %> triage process']

  async run(): Promise<void> {
    const done = await this.progress('Trying the rules', this.api.triage.process({}))
    const { processed, matched } = done
    await this.out.done(`Looked at ${processed} ${processed === 1 ? 'issue' : 'issues'}, ${matched} matched.`, done)
  }
}
