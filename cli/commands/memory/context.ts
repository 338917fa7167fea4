import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { agentId } from '../../lookup.ts'
import { contextView } from '../../views/memory.ts'

export default class MemoryContext extends ApiCommand<typeof MemoryContext> {
  static override summary = 'Show what the next run of an agent is given of persona and memory'
  static override description =
    'The text as it stands in the prompt, the characters that each file takes of it, and what is left out.'
  static override result = { of: ['memory.context'] }
  static override examples = [
    '$ <%= config.bin %> memory context ada',
    '$ <%= config.bin %> memory context ada --jq .text',
    "$ <%= config.bin %> memory context ada --jq '.left_out[]'",
  ]
  static override args = { agent: Args.string({ required: true, description: 'slug or id of the agent' }) }

  async run(): Promise<void> {
    const agent = await agentId(this.api, this.args.agent)
    await this.out.show(await this.api.memory.context({ query: { agent } }), contextView)
  }
}
