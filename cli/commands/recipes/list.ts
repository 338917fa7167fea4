import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { recipeView } from '../../views/recipes.ts'

export default class RecipesList extends ApiCommand<typeof RecipesList> {
  static override summary = 'List recipes'
  static override description =
    'A recipe describes a crew, the credentials that it needs and the MCP servers that it runs.'
  static override examples = ['$ <%= config.bin %> recipes', '$ <%= config.bin %> recipes list --json=slug,mcp_servers']
  static override flags = listFlags

  async run(): Promise<void> {
    await this.out.list(limited(await this.api.recipes.list(), this.flags), recipeView)
  }
}
