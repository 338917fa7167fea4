import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { skillIn } from '../../skills/folder.ts'

const isAddress = (source: string): boolean => /^[a-z]+:\/\//.test(source)

export default class SkillsImport extends ApiCommand<typeof SkillsImport> {
  static override summary = 'Import a skill from a folder, a file or an address'
  static override description =
    'A folder with a SKILL.md in the Agent Skills format, with its scripts and other files; such a file alone; ' +
    'or the https address of one. One of the same name that this workspace imported is replaced.'
  static override examples = [
    '$ <%= config.bin %> skills import ./pdf',
    '$ <%= config.bin %> skills import https://github.com/OWNER/REPO/blob/main/skills/pdf/SKILL.md',
  ]
  static override next = {
    license_refused: 'muster skills import SOURCE --unsafe-license',
    skill_invalid: 'muster skills init NAME',
  }
  static override args = { source: Args.string({ required: true, description: 'folder, file or https address' }) }
  static override flags = {
    'unsafe-license': Flags.boolean({ description: 'take it whatever its licence is, also without one' }),
  }

  async run(): Promise<void> {
    const { source } = this.args
    const said = isAddress(source) ? { url: source } : skillIn(source)
    const body = { ...said, ...(this.flags['unsafe-license'] && { allow_unsafe_license: true }) }
    const skill = await this.api.skills.import({ workspaceId: workspaceInUse(this.session), body })
    await this.out.done(`${skill.created ? 'Imported' : 'Replaced'} skill ${skill.slug}.`, skill)
  }
}
