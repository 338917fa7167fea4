import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { followSlug } from '../../contexts/change.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { workspaceView } from '../../views/workspaces.ts'

export default class WorkspacesUpdate extends ApiCommand<typeof WorkspacesUpdate> {
  static override summary = 'Change a workspace'
  static override description =
    'Changes only what is given. An empty language lets agents choose. Contexts on this machine follow a changed ' +
    'slug.'
  static override examples = [
    '$ <%= config.bin %> workspaces update --name "Research and more"',
    '$ <%= config.bin %> workspaces update research --slug lab --language de',
    '$ <%= config.bin %> workspaces update research --require-two-factor',
  ]
  static override args = { workspace: Args.string({ description: 'slug or id (default: the one in use)' }) }
  static override flags = {
    name: Flags.string({ description: 'new name' }),
    slug: Flags.string({ description: 'new short name' }),
    language: Flags.string({ description: 'language of the workspace, such as German or de' }),
    'require-two-factor': Flags.boolean({ allowNo: true, description: 'require a second factor of all members' }),
    'require-second-approver': Flags.boolean({
      allowNo: true,
      description: "require a second person to decide about secrets that one's own agents offer",
    }),
    'tool-arguments': Flags.boolean({
      allowNo: true,
      description: 'show the arguments of MCP tools in the journal, without secrets',
    }),
    'credential-audit-days': Flags.integer({
      min: 0,
      helpValue: 'DAYS',
      description: 'how long to keep the records of credentials; 0 for ever',
    }),
    'journal-days': Flags.integer({
      min: 0,
      helpValue: 'DAYS',
      description: 'how long to keep entries of the journal in full; 0 for ever',
    }),
  }

  async run(): Promise<void> {
    const workspaceId = this.args.workspace ?? workspaceInUse(this.session)
    const { name, slug, language } = this.flags
    const before = slug === undefined ? undefined : await this.api.workspaces.show({ workspaceId })
    const workspace = await this.api.workspaces.update({
      workspaceId,
      body: given({
        name,
        slug,
        preferred_language: language,
        require_two_factor: this.flags['require-two-factor'],
        require_second_approver: this.flags['require-second-approver'],
        journal_tool_arguments: this.flags['tool-arguments'],
        credential_audit_retention_days: this.flags['credential-audit-days'],
        journal_retention_days: this.flags['journal-days'],
      }),
    })
    if (before && before.slug !== workspace.slug) await followSlug(this.session.target, before.slug, workspace.slug)
    await this.out.done(`Changed workspace ${workspace.slug}.`, workspace, workspaceView)
  }
}
