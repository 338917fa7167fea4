import { catalogued, storedAs } from '../recipes/service.ts'
import type { Resource } from './types.ts'

type Part = Pick<Resource, 'kind' | 'name' | 'members' | 'asFound'>

/** What a recipe is made of, with a crew of that slug where one is named; undefined where there is no such recipe. */
export function partsOfRecipe(slug: string, crew: string | undefined): Part[] | undefined {
  const recipe = catalogued(slug)
  if (!recipe) return undefined
  const { name, description, icon, color, crew_slug, credentials, mcp_servers } = recipe
  const own = crew ?? crew_slug
  return [
    ...credentials.map(
      ({ env_var_name, label, help_url, ...it }): Part => ({
        kind: 'Credential',
        name: env_var_name,
        members: { ...storedAs(it), account_label: label, ...(help_url && { help_url }) },
        asFound: true,
      }),
    ),
    { kind: 'Crew', name: own, members: { name, description, icon, color } },
    ...mcp_servers.map(
      ({ name: server, ...members }): Part => ({
        kind: 'Integration',
        name: `${own}/${server}`,
        members: { ...members, crew: own },
      }),
    ),
  ]
}
