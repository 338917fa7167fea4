import { ApiCommand } from '../../command.ts'

export default class EscalationsPending extends ApiCommand<typeof EscalationsPending> {
  static override summary = 'Count unanswered questions'
  static override examples = ['$ <%= config.bin %> escalations pending']

  async run(): Promise<void> {
    const pending = await this.api.escalations.pending()
    await this.out.show(pending, { name: ({ count }) => String(count), columns: { Open: ({ count }) => count } })
  }
}
