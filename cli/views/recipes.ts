import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { Recipe, recipes } from '#contract/recipes'
import type { View } from '../output/printer.ts'

type Row = Static<typeof Recipe>
type Installed = Reply<typeof recipes.install>
type Previewed = Reply<typeof recipes.preview>

const variables = (credentials: Row['credentials']): string =>
  credentials.map(({ env_var_name }) => env_var_name).join(', ')

const servers = ({ mcp_servers }: Row): string =>
  mcp_servers
    .map(({ name, command, args = [], endpoint }) => `${name}: ${endpoint ?? [command, ...args].join(' ')}`)
    .join('\n')

export const recipeView: View<Row> = {
  name: ({ slug }) => slug,
  columns: {
    NAME: ({ slug }) => slug,
    TITLE: ({ name }) => name,
    CREDENTIALS: ({ credentials }) => variables(credentials),
    SERVERS: ({ mcp_servers }) => mcp_servers.map(({ name }) => name).join(', '),
  },
  detail: {
    Name: ({ slug }) => slug,
    Title: ({ name }) => name,
    Description: ({ description }) => description,
    Crew: ({ crew_slug }) => crew_slug,
    Credentials: ({ credentials }) => variables(credentials),
  },
  below: servers,
}

export const previewView: View<Previewed> = {
  name: ({ recipe }) => recipe.slug,
  columns: { NAME: ({ recipe }) => recipe.slug, CREW: ({ resolved_crew_slug }) => resolved_crew_slug },
  detail: {
    Name: ({ recipe }) => recipe.slug,
    Crew: ({ resolved_crew_slug }) => resolved_crew_slug,
    There: ({ existing_credentials }) => Object.keys(existing_credentials).join(', '),
    Missing: ({ needed_credentials }) => variables(needed_credentials),
  },
  below: ({ recipe }) => servers(recipe),
}

export const installedView: View<Installed> = {
  name: ({ crew_slug }) => crew_slug,
  columns: { NAME: ({ crew_slug }) => crew_slug, SERVERS: ({ mcp_servers_added }) => mcp_servers_added.join(', ') },
  detail: {
    Crew: ({ crew_slug }) => crew_slug,
    Stored: ({ credentials_added }) => credentials_added.join(', '),
    Used: ({ credentials_reused }) => credentials_reused.join(', '),
    Servers: ({ mcp_servers_added }) => mcp_servers_added.join(', '),
  },
}
