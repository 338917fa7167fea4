import { Type } from 'typebox'
import { credentialProviders, credentialTypes, maxValueBytes } from './credentials.ts'
import { crewColors } from './crews.ts'
import { get, post } from './define.ts'
import { Id, line } from './fields.ts'

const variableName = Type.String({ maxLength: 128, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' })

const RecipeCredential = Type.Object({
  env_var_name: Type.String(),
  provider: Type.Enum([...credentialProviders]),
  type: Type.Enum([...credentialTypes]),
  label: Type.String(),
  help_url: Type.Optional(Type.String({ description: 'Where a person makes one' })),
})

/** A crew, the credentials that it needs and the MCP servers that it runs. docs/recipes.md. */
export const Recipe = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  icon: Type.String(),
  color: Type.Enum([...crewColors]),
  crew_slug: Type.String({ description: 'The slug that its crew has where it is free' }),
  credentials: Type.Array(RecipeCredential),
  mcp_servers: Type.Array(
    Type.Object({
      name: Type.String(),
      display_name: Type.String(),
      transport: Type.Enum(['stdio', 'streamable-http']),
      command: Type.Optional(Type.String()),
      args: Type.Optional(Type.Array(Type.String())),
      endpoint: Type.Optional(Type.String()),
      env_mapping: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: 'Variables of the server, and which credential fills each',
        }),
      ),
      icon: Type.Optional(Type.String()),
    }),
  ),
})

export const recipes = {
  list: get('/recipes', {
    summary: 'List recipes',
    access: 'signed-in',
    reply: Type.Array(Recipe),
  }),
  show: get('/recipes/:slug', {
    summary: 'Show a recipe',
    access: 'signed-in',
    reply: Recipe,
    throws: ['not_found'],
  }),
  preview: get('/recipes/:slug/preview', {
    summary: 'Say what a recipe would find in the workspace',
    access: 'VIEWER',
    reply: Type.Object({
      recipe: Recipe,
      needed_credentials: Type.Array(RecipeCredential, { description: 'Those that the workspace does not have yet' }),
      existing_credentials: Type.Record(Type.String(), Type.Boolean(), {
        description: 'Those that it has, by environment variable',
      }),
      crew_slug_available: Type.Boolean(),
      resolved_crew_slug: Type.String({ description: 'The slug that the crew would have' }),
    }),
    throws: ['not_found', 'slug_taken'],
  }),
  install: post('/recipes/:slug/install', {
    summary: 'Make the crew of a recipe with its credentials and MCP servers, all or nothing',
    access: 'ADMIN',
    scope: 'crews:write',
    stepUp: true,
    bodyOptional: true,
    body: Type.Object({
      credential_values: Type.Optional(
        Type.Record(variableName, Type.String({ maxLength: maxValueBytes }), {
          description: 'By environment variable: those that the workspace does not have yet. Others are ignored',
          maxProperties: 50,
        }),
      ),
      account_labels: Type.Optional(
        Type.Record(variableName, line(200), { description: 'The accounts they belong to', maxProperties: 50 }),
      ),
    }),
    reply: Type.Object({
      crew_id: Id,
      crew_slug: Type.String(),
      credentials_added: Type.Array(Type.String()),
      credentials_reused: Type.Array(Type.String()),
      mcp_servers_added: Type.Array(Type.String()),
    }),
    journal: ['audit.entity_created'],
    throws: ['not_found', 'slug_taken', 'name_taken', 'missing_values', 'server_unreachable', 'encryption_unavailable'],
  }),
}
