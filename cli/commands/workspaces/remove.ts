import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { followSlug } from '../../contexts/change.ts'
import { confirmFlags } from '../../flags.ts'
import { interrupted } from '../../runs/interrupted.ts'

export default class WorkspacesRemove extends ApiCommand<typeof WorkspacesRemove> {
  static override summary = 'Delete a workspace with its crews, agents and memberships'
  static override description =
    'Removes all containers with their files, credentials and memberships. This cannot be undone.'
  static override examples = [
    '$ <%= config.bin %> workspaces remove research',
    '$ <%= config.bin %> workspaces rm research --confirm research',
  ]
  static override next = { only_workspace: 'muster workspaces create NAME', home_workspace: 'muster crews list' }
  static override args = { workspace: Args.string({ required: true, description: 'slug or id of the workspace' }) }
  static override flags = confirmFlags

  async run(): Promise<void> {
    const { id, slug, _count } = await this.api.workspaces.show({ workspaceId: this.args.workspace })
    const what =
      `workspace ${slug} with its ${_count?.crews ?? 0} crews, ${_count?.agents ?? 0} agents and ` +
      `${_count?.members ?? 0} members`
    const ends = await interrupted(this.api, { workspace: id })
    await this.confirmName(`Delete ${what}?${ends}`, slug)
    await this.progress(
      `Deleting ${slug}`,
      this.api.workspaces.remove({ workspaceId: id, body: { confirm_slug: slug } }),
    )
    await followSlug(this.session.target, slug, undefined)
    await this.out.done(`Deleted workspace ${slug}.`)
  }
}
