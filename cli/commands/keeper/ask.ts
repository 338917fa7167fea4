import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { keeperAnswerView } from '../../views/keeper-requests.ts'

export default class KeeperAsk extends ApiCommand<typeof KeeperAsk> {
  static override summary = 'Ask for a credential in place of an agent'
  static override description =
    'The request is judged as if the agent had asked: with ALLOW it gets the credential. Exits with 1 on a denial.'
  static override examples = [
    '$ <%= config.bin %> keeper ask ada GH_TOKEN --intent "open the pull request for the fix of the login"',
  ]
  static override next = { not_found: 'muster credentials assigned AGENT' }
  static override args = {
    agent: Args.string({ required: true, description: 'agent that is to have it' }),
    variable: Args.string({ required: true, description: 'name of its variable' }),
  }
  static override flags = {
    intent: Flags.string({ required: true, helpValue: 'TEXT', description: 'what it is for' }),
    task: Flags.string({ helpValue: 'ID', description: 'issue or task that it is for' }),
  }

  async run(): Promise<void> {
    const { intent, task } = this.flags
    const requesting_agent_id = await agentId(this.api, this.args.agent)
    const reply = await this.api.keeper.ask({
      body: given({ requesting_agent_id, credential_name: this.args.variable, intent, task_id: task }),
    })
    await this.out.show(reply, keeperAnswerView)
    if (reply.decision === 'DENY') process.exitCode = 1
  }
}
