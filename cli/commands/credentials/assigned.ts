import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { assignmentView } from '../../views/credentials.ts'

export default class CredentialsAssigned extends ApiCommand<typeof CredentialsAssigned> {
  static override summary = 'List the credentials that an agent gets, directly or from its crew'
  static override examples = ['$ <%= config.bin %> credentials assigned ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    await this.out.list(
      limited(await this.api.credentials.assigned({ agentId: await agentId(this.api, this.args.agent) }), this.flags),
      assignmentView,
    )
  }
}
