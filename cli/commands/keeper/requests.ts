import { Flags } from '@oclif/core'
import { keeperRequestTypes, keeperStates } from '#client/words'
import { ApiCommand } from '../../command.ts'
import { given, limited, oneOf, windowed, windowFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { keeperRequestView } from '../../views/keeper-requests.ts'

export default class KeeperRequests extends ApiCommand<typeof KeeperRequests> {
  static override summary = 'List what agents asked the judge for, newest first'
  static override examples = [
    '$ <%= config.bin %> keeper requests',
    '$ <%= config.bin %> keeper requests --decision ESCALATE',
    '$ <%= config.bin %> keeper requests --agent ada --type execute',
  ]
  static override flags = {
    ...windowFlags,
    decision: oneOf(keeperStates, { description: 'decision to list' }),
    type: oneOf(keeperRequestTypes, { description: 'what was judged' }),
    agent: Flags.string({ description: 'agent that asked' }),
  }

  async run(): Promise<void> {
    const { decision, type, agent } = this.flags
    const filter = given({ decision, request_type: type, agent_id: agent && (await agentId(this.api, agent)) })
    const rows = await windowed(this.flags, (window) => this.api.keeper.requests({ query: { ...window, ...filter } }))
    await this.out.list(limited(rows, this.flags), keeperRequestView)
  }
}
