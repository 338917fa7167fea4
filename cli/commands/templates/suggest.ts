import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { suggestionView } from '../../views/crew-templates.ts'

export default class TemplatesSuggest extends ApiCommand<typeof TemplatesSuggest> {
  static override summary = 'Ask a model which crew would suit'
  static override description = 'It creates nothing and costs tokens of the API key of the workspace.'
  static override examples = [
    "$ <%= config.bin %> templates suggest 'Keep the documentation of our API true'",
    "$ <%= config.bin %> templates suggest 'Answer support mail in German' -o yaml",
  ]
  static override args = {
    description: Args.string({ required: true, description: 'what the crew is for, in 10 to 2000 characters' }),
  }

  async run(): Promise<void> {
    const { description } = this.args
    const asking = this.api.templates.suggest({ body: { description } }, { timeout: 150_000 })
    await this.out.show(await this.progress('Asking the model', asking), suggestionView)
  }
}
