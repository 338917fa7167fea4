import { Args } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { recipeView } from '../../views/recipes.ts'

export default class RecipesShow extends ApiCommand<typeof RecipesShow> {
  static override summary = 'Show a recipe'
  static override examples = ['$ <%= config.bin %> recipes show code-review-crew']
  static override args = { recipe: Args.string({ required: true, description: 'slug of the recipe' }) }

  async run(): Promise<void> {
    await this.out.show(await this.api.recipes.show({ slug: this.args.recipe }), recipeView)
  }
}
