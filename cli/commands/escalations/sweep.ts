import { ApiCommand } from '../../command.ts'

export default class EscalationsSweep extends ApiCommand<typeof EscalationsSweep> {
  static override summary = 'Expire the questions whose time to answer is over'
  static override description = 'The server does it by itself; this is for clocks that were set forward.'
  static override examples = ['$ <%= config.bin %> escalations sweep']

  async run(): Promise<void> {
    const reply = await this.api.escalations.sweep()
    await this.out.done(`Expired ${reply.expired}.`, reply)
  }
}
