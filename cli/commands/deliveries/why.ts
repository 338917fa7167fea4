import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { userId } from '../../lookup.ts'
import { whyView } from '../../views/deliveries.ts'

export default class DeliveriesWhy extends ApiCommand<typeof DeliveriesWhy> {
  static override summary = 'Explain why somebody was told of something through channels, or was not'
  static override examples = [
    '$ <%= config.bin %> deliveries why del_0123456789abcdef',
    '$ <%= config.bin %> deliveries why c0mjuohs005e6fu6qxd87qvyr --user ada@example.com',
  ]
  static override args = {
    subject: Args.string({
      required: true,
      description: 'delivery, notification, entry of the journal, or what it was about: an issue, a run',
    }),
  }
  static override flags = { user: Flags.string({ description: 'somebody else than you; for an ADMIN' }) }

  async run(): Promise<void> {
    const { user } = this.flags
    const user_id = user === undefined ? {} : { user_id: await userId(this.api, workspaceInUse(this.session), user) }
    const reply = await this.api.deliveries.why({ query: { subject: this.args.subject, ...user_id } })
    await this.out.show(reply, whyView)
  }
}
