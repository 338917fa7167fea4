import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { Recipe, recipes } from '#contract/recipes'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { type Actor, type Call, staged } from '#kernel/feature'
import { problem } from '#kernel/problem'
import { hasVariable } from '../../credentials/named/service.ts'
import { createCredential } from '../../credentials/service.ts'
import { createCrew } from '../../crews/service.ts'
import { createInCrew } from '../../integrations/service.ts'
import { outcomeOf } from '../../integrations/testing/service.ts'
import { findRecipe, freeSlug, storedAs } from '../service.ts'

type Shown = Reply<typeof recipes.install>
type Body = Call<typeof recipes.install>['body']
type Credential = Static<typeof Recipe>['credentials'][number]
type Server = Static<typeof Recipe>['mcp_servers'][number]

/**
 * Makes what a recipe says within one change, once its servers have answered. What the workspace has already is used as
 * it is.
 */
export const install = (app: App) =>
  staged<typeof recipes.install, void>(
    async ({ actor, slug, body }) => {
      const recipe = findRecipe(slug)
      checkValues(lacking(app, actor.workspace, recipe), body)
      await reach(app, recipe.mcp_servers)
    },
    (call) => make(app, call),
  )

function make(app: App, { actor, slug, body, now }: Call<typeof recipes.install>): Shown {
  const recipe = findRecipe(slug)
  const needed = lacking(app, actor.workspace, recipe)
  const reused = recipe.credentials.filter((it) => !needed.includes(it))
  checkValues(needed, body)
  for (const credential of needed) addCredential(app, { actor, now }, credential, body!)
  const crew = addCrew(app, { actor, now }, recipe)
  for (const server of recipe.mcp_servers) addServer(app, { actor, now }, crew.id, server)
  const names = (list: readonly Credential[]) => list.map(({ env_var_name }) => env_var_name)
  return {
    crew_id: crew.id,
    crew_slug: crew.slug,
    credentials_added: names(needed),
    credentials_reused: names(reused),
    mcp_servers_added: recipe.mcp_servers.map(({ name }) => name),
  }
}

const lacking = (app: App, workspace: string, { credentials }: Static<typeof Recipe>): Credential[] =>
  credentials.filter(({ env_var_name }) => !hasVariable(app, workspace, env_var_name))

/** Refuses to begin where a server does not answer. One that asks for a credential is there. */
async function reach(app: App, servers: readonly Server[]): Promise<void> {
  const tried = servers.map(({ transport, endpoint = null }) =>
    outcomeOf(app, { transport, endpoint, config_json: null }),
  )
  for (const [at, { status, message }] of (await Promise.all(tried)).entries())
    if (status === 'error')
      throw problem('server_unreachable', {
        detail: `The MCP server ${servers[at]!.name} cannot be used: ${message}. Nothing was made`,
        extra: { server: servers[at]!.name },
      })
}

/** Refuses to begin without a value for each credential that is needed. */
function checkValues(needed: readonly Credential[], body: Body): void {
  const missing = needed
    .map(({ env_var_name }) => env_var_name)
    .filter((name) => !body?.credential_values?.[name]?.trim())
  if (!missing.length) return
  throw problem('missing_values', {
    field: 'credential_values',
    detail: `The workspace has no ${missing.join(' and no ')}, and no value was given`,
    extra: { missing_credentials: missing },
  })
}

interface Acting {
  actor: Actor
  now: string
}

function addCredential(app: App, { actor, now }: Acting, wanted: Credential, body: NonNullable<Body>): void {
  const { env_var_name: name, type, provider } = storedAs(wanted)
  const label = body.account_labels?.[name]
  const draft = { name, type, provider, value: body.credential_values![name]!, ...(label && { account_label: label }) }
  const { id } = createCredential(app, { actor, body: draft, now })
  const about = { workspace_id: actor.workspace, ...actorOf(actor) }
  app.journal(fact('credential.created', { entity_id: id, name }, about))
}

function addCrew(
  app: App,
  { actor, now }: Acting,
  { name, crew_slug, description, icon, color }: Static<typeof Recipe>,
) {
  const slug = freeSlug(app, actor.workspace, crew_slug)
  const crew = createCrew(app, { actor, body: { name, slug, description, icon, color }, now }, [])
  const about = { workspace_id: actor.workspace, crew_id: crew.id, ...actorOf(actor) }
  app.journal(fact('crew.created', { entity_id: crew.id, name: crew.slug }, about))
  return crew
}

/** The variables of a server refer to credentials, whose values they are given when it starts. */
function addServer(app: App, { actor, now }: Acting, crewId: string, server: Server): void {
  const { name, display_name, transport, command, args, endpoint, env_mapping, icon } = server
  const variables = Object.entries(env_mapping ?? {}).map(([variable, source]) => [variable, `\${${source}}`])
  const body = {
    name,
    display_name,
    transport,
    ...(command && { command }),
    ...(args && { args_json: JSON.stringify(args) }),
    ...(endpoint && { endpoint }),
    ...(variables.length && { env_json: JSON.stringify(Object.fromEntries(variables)) }),
    ...(icon && { icon }),
  }
  createInCrew(app, { actor, crewId, body, now })
}
