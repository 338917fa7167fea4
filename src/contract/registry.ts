import { Type } from 'typebox'
import { get, post } from './define.ts'
import { Id, nullable, page, Time } from './fields.ts'
import { mcpTransports } from './integrations.ts'

/** Who vouches for a server, most trusted first. */
export const trustTiers = ['anthropic', 'curated', 'community'] as const
export type TrustTier = (typeof trustTiers)[number]
/** What a server of the registry asks of those who use it. */
export const registryAuthTypes = ['none', 'bearer', 'api_key'] as const

const text = nullable(Type.String())

/** A server that the registry lists. */
export const RegistryServer = Type.Object({
  id: Id,
  name: Type.String({ description: 'Its name in the registry, such as io.github.owner/server' }),
  display_name: Type.String(),
  description: Type.String({ description: 'In the words of its author' }),
  icon: text,
  transport: Type.Enum(mcpTransports),
  homepage_url: text,
  source_url: text,
  package_name: text,
  package_version: text,
  package_registry: nullable(Type.String({ description: 'Where its package is: npm, pypi, oci' })),
  command: nullable(Type.String({ description: 'The program that runs its package; null where none is known' })),
  endpoint: text,
  auth_type: Type.Enum(registryAuthTypes),
  env_vars_json: nullable(
    Type.String({ description: 'JSON array of its variables: name, description, isRequired, isSecret' }),
  ),
  category: text,
  is_verified: Type.Boolean({ description: 'The registry knows who published it, and has not withdrawn it' }),
  trust_tier: Type.Enum(trustTiers),
  is_featured: Type.Boolean(),
  synced_at: Time,
})

const filter = {
  ...page,
  trust_tier: Type.Optional(Type.Enum(trustTiers, { description: 'Only of this tier' })),
  featured: Type.Optional(Type.Enum(['true', 'false', '1', '0'], { description: 'Only those that are, or are not' })),
}

const Found = Type.Object({
  servers: Type.Array(RegistryServer),
  total: Type.Integer({ description: 'How many there are, whatever the page' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  query: Type.Optional(Type.String()),
})

/** The registry of MCP servers, shared by all workspaces. docs/integrations.md. */
export const registry = {
  list: get('/mcp-registry', {
    summary: 'List the MCP servers of the registry, featured ones first',
    access: 'signed-in',
    query: Type.Object(filter),
    reply: Found,
  }),
  search: get('/mcp-registry/search', {
    summary: 'Search the registry of MCP servers',
    access: 'signed-in',
    query: Type.Object({
      ...filter,
      q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of name, description or category' })),
    }),
    reply: Found,
  }),
  sync: post('/mcp-registry/sync', {
    summary: 'Fetch the registry of MCP servers anew, for all workspaces',
    access: 'ADMIN',
    scope: 'workspace:admin',
    status: 202,
    reply: Type.Object({ status: Type.Literal('sync_started'), message: Type.String() }),
    journal: ['audit.entity_updated'],
    throws: ['rate_limited', 'unavailable'],
  }),
}
