import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { listedView } from '../../views/files.ts'

export default class AgentsContainerFiles extends ApiCommand<typeof AgentsContainerFiles> {
  static override summary = "List files of an agent's home folder in its running container"
  static override description = "Three levels deep. The home folder holds what the agent's client keeps for itself."
  static override examples = [
    '$ <%= config.bin %> agents container-files ada',
    '$ <%= config.bin %> agents container-files ada .claude',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    folder: Args.string({ description: 'subfolder to list' }),
  }
  static override flags = listFlags

  async run(): Promise<void> {
    const { agent, folder } = this.args
    const query = folder ? { subdir: folder } : {}
    const files = await this.api.agents.containerFiles({ agentId: await agentId(this.api, agent), query })
    await this.out.list(limited(files, this.flags), listedView)
  }
}
