import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { previewView } from '../../views/recipes.ts'

export default class RecipesPreview extends ApiCommand<typeof RecipesPreview> {
  static override summary = 'Preview what a recipe would find in the workspace'
  static override examples = ['$ <%= config.bin %> recipes preview code-review-crew']
  static override args = { recipe: Args.string({ required: true, description: 'slug of the recipe' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.recipes.preview({ slug: this.args.recipe }), previewView)
  }
}
