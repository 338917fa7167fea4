import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { runView } from '../../views/runs.ts'

export default class RunsOfAgent extends ApiCommand<typeof RunsOfAgent> {
  static override summary = 'List the newest 100 runs of an agent'
  static override examples = ['$ <%= config.bin %> runs of-agent ada']
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }
  static override flags = listFlags

  async run(): Promise<void> {
    const runs = await this.api.runs.ofAgent({ agentId: await agentId(this.api, this.args.agent) })
    await this.out.list(limited(runs, this.flags), runView)
  }
}
