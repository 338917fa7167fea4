import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { given } from '../../flags.ts'
import { slugFor } from '../../slug.ts'
import { workspaceView } from '../../views/workspaces.ts'

export default class WorkspacesCreate extends ApiCommand<typeof WorkspacesCreate> {
  static override summary = 'Create a workspace that you own'
  static override examples = [
    '$ <%= config.bin %> workspaces create Research',
    '$ <%= config.bin %> workspaces create "Second line" --slug support --language de',
  ]
  static override args = { name: Args.string({ required: true, description: 'name of the workspace' }) }
  static override flags = {
    slug: Flags.string({ description: 'short name (default: derived from the name)' }),
    language: Flags.string({ description: 'language of the workspace, such as German or de' }),
  }

  async run(): Promise<void> {
    const { name } = this.args
    const { slug, language } = this.flags
    const workspace = await this.api.workspaces.create({
      body: given({ name, slug: slugFor(name, slug), preferred_language: language || undefined }),
    })
    await this.out.done(`Created workspace ${workspace.slug}.`, workspace, workspaceView)
  }
}
