import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { windowed, windowFlags } from '../../flags.ts'
import { crewId } from '../../lookup.ts'
import { peerConversationView } from '../../views/peers.ts'

export default class CrewsPeerConversations extends ApiCommand<typeof CrewsPeerConversations> {
  static override summary = 'List what agents of a crew asked each other, newest first'
  static override description =
    'Each question is answered in a run of its own: `muster logs RUN` shows it, `muster runs cancel RUN` ends it.'
  static override examples = [
    '$ <%= config.bin %> crews peer-conversations web-team',
    '$ <%= config.bin %> crews peer-conversations web-team --json=question,response,run_id',
  ]
  static override args = { crew: Args.string({ required: true, description: 'slug or id of the crew' }) }
  static override flags = windowFlags

  async run(): Promise<void> {
    const id = await crewId(this.api, this.args.crew)
    await this.out.list(
      await windowed(this.flags, (query) => this.api.crews.peerConversations({ crewId: id, query }), 100),
      peerConversationView,
    )
  }
}
