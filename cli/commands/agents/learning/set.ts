import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { InputError } from '../../../input.ts'
import { agentId } from '../../../lookup.ts'
import { learningView } from '../../../views/learning.ts'

export default class AgentsLearningSet extends ApiCommand<typeof AgentsLearningSet> {
  static override summary = 'Let an agent change itself, or not'
  static override description =
    'Only in a crew at the level full does it then change its persona without asking. Off for new agents.'
  static override result = { of: ['agents.setLearning'] }
  static override hiddenAliases = ['agents:set-learning']
  static override examples = [
    '$ <%= config.bin %> agents learning set ada --on --reason "a sandbox that is thrown away"',
    '$ <%= config.bin %> agents learning set ada --off --reason "it goes to production"',
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = {
    on: Flags.boolean({ description: 'it may', exclusive: ['off'] }),
    off: Flags.boolean({ description: 'it may not' }),
    reason: Flags.string({ required: true, helpValue: 'TEXT', description: 'reason, recorded in the journal' }),
  }

  async run(): Promise<void> {
    const { on, off, reason } = this.flags
    if (!on && !off) throw new InputError('Say whether it may.', 'repeat with --on or --off')
    const id = await agentId(this.api, this.args.agent)
    const reply = await this.api.agents.setLearning({ agentId: id, body: { enabled: on === true, reason } })
    await this.out.done(`${this.args.agent} may ${on ? '' : 'not '}change itself.`, reply, learningView)
  }
}
