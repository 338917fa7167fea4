import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { crewTemplateView } from '../../views/crew-templates.ts'

export default class TemplatesList extends ApiCommand<typeof TemplatesList> {
  static override summary = 'List crew templates, those that come with Muster first'
  static override examples = [
    '$ <%= config.bin %> templates',
    '$ <%= config.bin %> templates list --json=slug,category',
  ]
  static override flags = listFlags

  async run(): Promise<void> {
    await this.out.list(limited(await this.api.templates.list(), this.flags), crewTemplateView)
  }
}
