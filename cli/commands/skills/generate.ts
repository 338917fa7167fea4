import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { workspaceInUse } from '../../contexts/session.ts'
import { fileOr } from '../../input.ts'

export default class SkillsGenerate extends ApiCommand<typeof SkillsGenerate> {
  static override summary = 'Have a model write a skill'
  static override description =
    'It costs tokens of the API key of the workspace. Read the skill before you give it to an agent: ' +
    '`muster skills show`.'
  static override examples = [
    "$ <%= config.bin %> skills generate pdf-forms --prompt 'Fill PDF forms with pdftk'",
    '$ <%= config.bin %> skills generate pdf-forms --prompt @notes.md',
  ]
  static override next = {
    skill_exists: 'muster skills show NAME',
    model_key_missing: 'muster credentials create NAME --type API_KEY',
  }
  static override args = { name: Args.string({ required: true, description: 'name of the new skill' }) }
  static override flags = {
    prompt: Flags.string({
      required: true,
      helpValue: 'TEXT|@FILE',
      description: 'what it is to teach, or @FILE to read that from a file',
    }),
    model: Flags.string({ helpValue: 'MODEL', description: 'model that writes it' }),
  }

  async run(): Promise<void> {
    const { prompt, model } = this.flags
    const body = { slug: this.args.name, prompt: fileOr(prompt), ...(model && { model }) }
    const asking = this.api.skills.generate({ workspaceId: workspaceInUse(this.session), body }, { timeout: 150_000 })
    const skill = await this.progress('Asking the model', asking)
    await this.out.done(`Wrote skill ${skill.slug}.`, skill)
    if (skill.scan_reason) this.out.note(`It was flagged: ${skill.scan_reason}`, 'yellow')
  }
}
