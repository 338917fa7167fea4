import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { changeContexts, nameFor } from '../../contexts/change.ts'
import { workspaceView } from '../../views/workspaces.ts'

export default class WorkspacesUse extends ApiCommand<typeof WorkspacesUse> {
  static override summary = 'Use a workspace from now on'
  static override result = { of: ['workspaces.show'] }
  static override examples = ['$ <%= config.bin %> workspaces use research']
  static override args = { workspace: Args.string({ required: true, description: 'slug or id of the workspace' }) }

  async run(): Promise<void> {
    const workspace = await this.api.workspaces.show({ workspaceId: this.args.workspace })
    const { context, target } = this.session
    await changeContexts((file) => {
      const name = context ?? nameFor(file, target.key)
      file.contexts[name] = { ...(file.contexts[name] ?? { server: target.key }), workspace: workspace.slug }
      file.current ??= name
    }, this.trying)
    await this.out.done(`Now using workspace ${workspace.slug}.`, workspace, workspaceView)
  }
}
