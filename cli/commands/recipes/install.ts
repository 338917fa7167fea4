import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { confirm, InputError, secret } from '../../input.ts'
import { installedView } from '../../views/recipes.ts'

export default class RecipesInstall extends ApiCommand<typeof RecipesInstall> {
  static override summary = 'Make the crew of a recipe with its credentials and MCP servers'
  static override description =
    'Asks for each credential that the workspace does not have yet, unseen; --from-env takes them from environment ' +
    'variables of their names. MCP servers at addresses are called first; it is made whole or not at all.'
  static override examples = [
    '$ <%= config.bin %> recipes install code-review-crew',
    '$ GH_TOKEN=… <%= config.bin %> recipes install code-review-crew --from-env --yes',
  ]
  static override next = { missing_values: 'muster recipes preview {recipe}' }
  static override args = { recipe: Args.string({ required: true, description: 'slug of the recipe' }) }
  static override flags = {
    'from-env': Flags.boolean({ description: 'take the values of credentials from the environment' }),
    label: Flags.string({
      multiple: true,
      helpValue: 'ENV=TEXT',
      description: 'the account that a new credential belongs to; may be repeated',
    }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask whether to do it' }),
  }

  async run(): Promise<void> {
    const slug = this.args.recipe
    const account_labels = Object.fromEntries((this.flags.label ?? []).map(labelIn))
    const { recipe, needed_credentials, resolved_crew_slug } = await this.api.recipes.preview({ slug })
    const servers = recipe.mcp_servers.map(({ name }) => name).join(', ')
    await confirm(`Make crew ${resolved_crew_slug} with the MCP servers ${servers}?`, this.flags.yes)
    const credential_values: Record<string, string> = {}
    for (const { env_var_name: name, label } of needed_credentials)
      credential_values[name] = this.flags['from-env'] ? fromEnvironment(name) : await secret(`${label} (${name})`, {})
    const reply = await this.api.recipes.install(
      { slug, body: { credential_values, account_labels } },
      { timeout: 120_000 },
    )
    await this.out.done(`Made crew ${reply.crew_slug}.`, reply, installedView)
  }
}

function labelIn(text: string): [name: string, label: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new InputError('--label is NAME=TEXT, with the variable of a credential.')
  return [text.slice(0, at), text.slice(at + 1)]
}

function fromEnvironment(name: string): string {
  const value = process.env[name]
  if (!value) throw new InputError(`The environment has no ${name}.`, `export ${name}=…, or leave --from-env out`)
  return value
}
