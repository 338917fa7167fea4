import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { followSlug } from '../../contexts/change.ts'
import { yesFlag } from '../../flags.ts'
import { ask, Cancelled, InputError, interactive } from '../../input.ts'

export default class WorkspacesRemove extends ApiCommand<typeof WorkspacesRemove> {
  static override summary = 'Delete a workspace with its crews, agents and memberships'
  static override description =
    'Removes all containers with their files, credentials and memberships. This cannot be undone.'
  static override examples = [
    '$ <%= config.bin %> workspaces remove research',
    '$ <%= config.bin %> workspaces remove research --yes',
  ]
  static override next = { only_workspace: 'muster workspaces create NAME', home_workspace: 'muster crews list' }
  static override args = { workspace: Args.string({ required: true, description: 'slug or id of the workspace' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const { id, slug, _count } = await this.api.workspaces.show({ workspaceId: this.args.workspace })
    const what =
      `workspace ${slug} with its ${_count?.crews ?? 0} crews, ${_count?.agents ?? 0} agents and ` +
      `${_count?.members ?? 0} members`
    if (!this.flags.yes) await confirmSlug(what, slug)
    await this.progress(
      `Deleting ${slug}`,
      this.api.workspaces.remove({ workspaceId: id, body: { confirm_slug: slug } }),
    )
    await followSlug(this.session.target, slug, undefined)
    await this.out.done(`Deleted workspace ${slug}.`)
  }
}

async function confirmSlug(what: string, slug: string): Promise<void> {
  if (!interactive())
    throw new InputError(`Delete ${what}? Not asked, because this is not a terminal.`, 'repeat the command with --yes')
  if ((await ask(`This deletes ${what}. Type ${slug} to go on`)).trim() !== slug)
    throw new Cancelled('Nothing was changed.')
}
