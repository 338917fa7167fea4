import { Args, Flags } from '@oclif/core'
import { crewTemplateIn, templateFile } from '../../bodies/templates.ts'
import { ApiCommand } from '../../command.ts'
import { crewTemplateView } from '../../views/crew-templates.ts'

export default class TemplatesSave extends ApiCommand<typeof TemplatesSave> {
  static override summary = 'Store a crew template of your own'
  static override description =
    'It takes the place of the one of that slug, also of one that comes with Muster. A template has a name, a ' +
    'category and agents, each with name, slug and system_prompt; exactly one has agent_role LEAD.'
  static override examples = [
    '$ <%= config.bin %> templates save ours --file ours.yaml',
    '$ <%= config.bin %> templates save ours --file - < ours.json',
  ]
  static override args = { 'crew-template': Args.string({ required: true, description: 'slug of the crew template' }) }
  static override flags = { file: Flags.string({ required: true, ...templateFile('the crew template') }) }

  async run(): Promise<void> {
    const body = await crewTemplateIn(this.flags.file)
    const made = await this.api.templates.save({ slug: this.args['crew-template'], body })
    await this.out.done(`Stored crew template ${made.slug}.`, made, crewTemplateView)
  }
}
