import { ApiCommand } from '../../command.ts'

export default class EscalationsSweep extends ApiCommand<typeof EscalationsSweep> {
  static override summary = 'Expire overdue questions'
  static override description = 'The server does this by itself; run it after a clock was set forward.'
  static override examples = ['$ <%= config.bin %> escalations sweep']

  async run(): Promise<void> {
    const reply = await this.api.escalations.sweep()
    await this.out.done(`Expired ${reply.expired}.`, reply)
  }
}
