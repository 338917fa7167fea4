import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { given } from '../../flags.ts'
import { bulkImportView } from '../../views/skills.ts'

export default class SkillsBulkImport extends ApiCommand<typeof SkillsBulkImport> {
  static override summary = 'Import the skills of a public git repository'
  static override description =
    'Every folder with a SKILL.md is one. What cannot be imported is told with the reason, and the others are.'
  static override examples = [
    '$ <%= config.bin %> skills bulk-import https://github.com/OWNER/REPO',
    "$ <%= config.bin %> skills bulk-import https://github.com/OWNER/REPO --path 'skills/*' --ref v2 --dry-run",
  ]
  static override next = { repository_unreadable: 'muster skills import FOLDER' }
  static override args = {
    repository: Args.string({ required: true, description: 'https address of the repository' }),
  }
  static override flags = {
    ref: Flags.string({ helpValue: 'REF', description: 'branch, tag or commit; its main branch if not' }),
    path: Flags.string({
      multiple: true,
      helpValue: 'GLOB',
      description: 'only skills in these folders, such as skills/*; may be repeated',
    }),
    vendor: Flags.string({ helpValue: 'NAME', description: 'whom the catalogue names as their vendor' }),
    'dry-run': Flags.boolean({ description: 'only tell what would be imported' }),
    'unsafe-license': Flags.boolean({ description: 'take them whatever their licence is, also without one' }),
  }

  /** The service is told of a dry run in the body: it reads the repository all the same. */
  protected override get dry(): boolean {
    return false
  }

  async run(): Promise<void> {
    const { ref, path, vendor, 'dry-run': dry } = this.flags
    const body = {
      git_url: this.args.repository,
      ...given({ git_ref: ref, paths: path, vendor }),
      ...(this.flags['unsafe-license'] && { allow_unsafe_license: true }),
      ...(dry && { dry_run: true }),
    }
    const asking = this.api.skills.bulkImport({ workspaceId: workspaceInUse(this.session), body }, { timeout: 120_000 })
    const report = await this.progress('Reading the repository', asking)
    await this.out.show(report, bulkImportView(dry))
    if (dry) this.out.note('This was a dry run: nothing was changed.', 'dim')
    if (report.truncated)
      this.out.note(`Only the first 500 of ${report.total_found} were looked at: use --path.`, 'yellow')
  }
}
