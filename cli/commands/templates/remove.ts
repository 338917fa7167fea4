import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { yesFlag } from '../../flags.ts'

export default class TemplatesRemove extends ApiCommand<typeof TemplatesRemove> {
  static override summary = 'Delete a crew template of your own'
  static override description =
    'One that comes with Muster and that it stood in for is there again. Crews stay as they are.'
  static override examples = ['$ <%= config.bin %> templates remove ours --yes']
  static override args = { 'crew-template': Args.string({ required: true, description: 'slug of the crew template' }) }
  static override flags = yesFlag

  async run(): Promise<void> {
    const template = this.args['crew-template']
    await this.confirm(`Delete crew template ${template}?`)
    await this.api.templates.remove({ slug: template })
    await this.out.done(`Deleted crew template ${template}.`)
  }
}
