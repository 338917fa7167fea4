import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { agentId } from '../../lookup.ts'
import { age } from '../../output/cell.ts'
import { listedView } from '../../views/files.ts'

export default class FilesList extends ApiCommand<typeof FilesList> {
  static override summary = "List the files in an agent's output folder"
  static override hiddenAliases = ['agents:files']
  static override examples = [
    '$ <%= config.bin %> files list ada',
    '$ <%= config.bin %> files list ada reports --recursive',
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
    const files = await this.api.files.list({ agentId: await agentId(this.api, agent), query })
    await this.out.list(limited(files, this.flags), {
      ...listedView,
      columns: { ...listedView.columns, AGE: ({ mod_time }) => age(mod_time) },
    })
  }
}
