import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { InputError } from '../../input.ts'
import { workspaceView } from '../../views/workspaces.ts'

export default class WorkspacesShow extends ApiCommand<typeof WorkspacesShow> {
  static override summary = 'Show a workspace and your role in it'
  static override examples = ['$ <%= config.bin %> workspaces show', '$ <%= config.bin %> workspaces show research']
  static override args = { workspace: Args.string({ description: 'slug or id (default: the one in use)' }) }

  async run(): Promise<void> {
    const workspaceId = this.args.workspace ?? this.session.workspace
    if (!workspaceId) throw new InputError('No workspace is in use.', 'muster workspaces use SLUG')
    await this.out.show(await this.api.workspaces.show({ workspaceId }), workspaceView)
  }
}
