import type { McpTransport } from '#contract/integrations'
import type { registryAuthTypes, TrustTier } from '#contract/registry'
import { statements } from '#kernel/store/db'

/** What the registry says of a server. */
export interface Told {
  name: string
  display_name: string
  description: string
  icon: string | null
  transport: McpTransport
  homepage_url: string | null
  source_url: string | null
  package_name: string | null
  package_version: string | null
  package_registry: string | null
  command: string | null
  endpoint: string | null
  auth_type: (typeof registryAuthTypes)[number]
  env_vars_json: string | null
  category: string | null
  is_verified: number
}

export interface ServerRow extends Told {
  id: string
  trust_tier: TrustTier
  is_featured: number
  synced_at: string
}

export interface Filter {
  trust_tier: TrustTier | null
  featured: number | null
  /** In lower case. */
  words: string | null
}

const columns =
  'id, name, display_name, description, icon, transport, homepage_url, source_url, package_name, package_version, ' +
  'package_registry, command, endpoint, auth_type, env_vars_json, category, is_verified, trust_tier, is_featured, ' +
  'synced_at'
const wanted = `FROM mcp_registry_servers WHERE is_featured >= 0
  AND (@trust_tier IS NULL OR trust_tier = @trust_tier) AND (@featured IS NULL OR is_featured = @featured)
  AND (@words IS NULL OR instr(words, @words) > 0)`

export const queries = statements((db) => ({
  list: db.prepare<[Filter & { limit: number; offset: number }], ServerRow>(
    `SELECT ${columns} ${wanted} ORDER BY is_featured DESC, name LIMIT @limit OFFSET @offset`,
  ),
  count: db.prepare<[Filter], number>(`SELECT count(*) ${wanted}`).pluck(),
  /** Who vouches for a server and whether it is featured stays as it was. */
  put: db.prepare<[ServerRow & { words: string }]>(
    `INSERT INTO mcp_registry_servers (${columns}, words) VALUES (@id, @name, @display_name, @description, @icon,
      @transport, @homepage_url, @source_url, @package_name, @package_version, @package_registry, @command, @endpoint,
      @auth_type, @env_vars_json, @category, @is_verified, @trust_tier, @is_featured, @synced_at, @words)
     ON CONFLICT (name) DO UPDATE SET display_name = excluded.display_name, description = excluded.description,
      icon = excluded.icon, transport = excluded.transport, homepage_url = excluded.homepage_url,
      source_url = excluded.source_url, package_name = excluded.package_name,
      package_version = excluded.package_version, package_registry = excluded.package_registry,
      command = excluded.command, endpoint = excluded.endpoint, auth_type = excluded.auth_type,
      env_vars_json = excluded.env_vars_json, category = excluded.category, is_verified = excluded.is_verified,
      synced_at = excluded.synced_at, words = excluded.words`,
  ),
  known: db.prepare<[name: string], { id: string }>('SELECT id FROM mcp_registry_servers WHERE name = ?'),
  remove: db.prepare<[name: string]>('DELETE FROM mcp_registry_servers WHERE name = ?'),
}))
