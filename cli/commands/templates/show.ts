import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { crewTemplateView } from '../../views/crew-templates.ts'

export default class TemplatesShow extends ApiCommand<typeof TemplatesShow> {
  static override summary = 'Show a crew template with its agents'
  static override examples = [
    '$ <%= config.bin %> templates show security-audit',
    '$ <%= config.bin %> templates show security-audit -o yaml > ours.yaml',
  ]
  static override args = { 'crew-template': Args.string({ required: true, description: 'slug of the crew template' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.templates.show({ slug: this.args['crew-template'] }), crewTemplateView)
  }
}
