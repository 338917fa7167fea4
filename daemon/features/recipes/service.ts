import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { Recipe, recipes } from '#contract/recipes'
import type { App } from '#kernel/app'
import type { Call } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { hasVariable } from '../credentials/named/service.ts'
import { crewSlugTaken } from '../crews/service.ts'
import { catalogue } from './catalogue.ts'

type Wanted = Static<typeof Recipe>['credentials'][number]

/** Slugs that are tried for the crew of a recipe. */
const attempts = 100

/** The recipe of that slug, where there is one. */
export const catalogued = (slug: string): Static<typeof Recipe> | undefined =>
  catalogue().find((recipe) => recipe.slug === slug)

/** The recipe of that slug, or `not_found`. */
export function findRecipe(slug: string): Static<typeof Recipe> {
  const found = catalogued(slug)
  if (!found) throw problem('not_found', { detail: 'There is no such recipe' })
  return found
}

/** A credential of a recipe as it is stored: a key of no model service is a secret, as agents and servers are given. */
export const storedAs = <T extends Pick<Wanted, 'type' | 'provider'>>(wanted: T): T =>
  wanted.type === 'API_KEY' && wanted.provider === 'NONE' ? { ...wanted, type: 'SECRET' } : wanted

/** What the recipe would find in the workspace. Nothing is changed. */
export function preview(app: App, { actor, slug }: Call<typeof recipes.preview>): Reply<typeof recipes.preview> {
  const recipe = findRecipe(slug)
  const has = recipe.credentials.map(({ env_var_name }) => hasVariable(app, actor.workspace, env_var_name))
  const there = recipe.credentials.filter((_, at) => has[at])
  const resolved = freeSlug(app, actor.workspace, recipe.crew_slug)
  return {
    recipe,
    needed_credentials: recipe.credentials.filter((_, at) => !has[at]),
    existing_credentials: Object.fromEntries(there.map(({ env_var_name }) => [env_var_name, true])),
    crew_slug_available: resolved === recipe.crew_slug,
    resolved_crew_slug: resolved,
  }
}

/** The first of `slug`, `slug-2`, `slug-3` and so on that no crew has. */
export function freeSlug(app: App, workspace: string, slug: string): string {
  for (let n = 1; n <= attempts; n++) {
    const candidate = n === 1 ? slug : `${slug}-${n}`
    if (!crewSlugTaken(app, workspace, candidate)) return candidate
  }
  throw problem('slug_taken', { detail: `Crews have the slugs from "${slug}" to "${slug}-${attempts}"` })
}
