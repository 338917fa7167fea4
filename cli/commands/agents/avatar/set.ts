import { Args } from '@oclif/core'
import { ApiCommand } from '../../../command.ts'
import { fileOr } from '../../../input.ts'
import { agentId } from '../../../lookup.ts'

export default class AgentsAvatarSet extends ApiCommand<typeof AgentsAvatarSet> {
  static override summary = 'Store a picture of an agent'
  static override description =
    'An SVG of at most 64 KiB that holds shapes alone: no scripts, no styles, no links. It is removed when the seed ' +
    'or the style of the agent changes.'
  static override hiddenAliases = ['agents:set-avatar']
  static override examples = ['$ <%= config.bin %> agents avatar set ada ada.svg']
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    file: Args.string({ required: true, description: 'image file' }),
  }

  async run(): Promise<void> {
    const { agent, file } = this.args
    const svg = fileOr(`@${file}`)
    await this.api.agents.setAvatar({ agentId: await agentId(this.api, agent), body: { svg } })
    await this.out.done(`Stored the picture of ${agent}.`)
  }
}
