import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { age, size } from '../../output/cell.ts'

export default class AgentsFiles extends ApiCommand<typeof AgentsFiles> {
  static override summary = "List the files in an agent's output folder"
  static override examples = [
    '$ <%= config.bin %> agents files ada',
    '$ <%= config.bin %> agents files ada reports --recursive',
  ]
  static override args = {
    agent: Args.string({ required: true, description: 'slug or id of the agent' }),
    folder: Args.string({ description: 'subfolder to list' }),
  }
  static override flags = {
    recursive: Flags.boolean({ char: 'r', description: 'include subfolders' }),
    ...listFlags,
  }

  async run(): Promise<void> {
    const { agent, folder } = this.args
    const query = { ...(folder && { subdir: folder }), ...(this.flags.recursive && { recursive: '1' }) }
    const files = await this.api.agents.files({ agentId: await agentId(this.api, agent), query })
    await this.out.list(limited(files, this.flags), {
      name: ({ path }) => path,
      empty: 'The folder is empty.',
      columns: {
        NAME: ({ path, is_dir }) => (is_dir ? { text: `${path}/`, value: path, tone: 'blue' } : path),
        SIZE: (it) => (it.is_dir ? null : size(it.size)),
        AGE: ({ mod_time }) => age(mod_time),
      },
    })
  }
}
