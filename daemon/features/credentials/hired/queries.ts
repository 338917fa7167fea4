import type { CliAdapter, LlmProvider } from '#contract/agents'
import type { CredentialType } from '#contract/credentials'
import { statements } from '#kernel/store/db'

export interface Hired {
  id: string
  slug: string
  workspace_id: string
  crew_id: string | null
  status: string
  cli_adapter: CliAdapter
  llm_provider: LlmProvider | null
}

interface LoginRow {
  id: string
  name: string
  type: CredentialType
  status: 'ACTIVE' | 'ERROR' | 'PENDING_APPROVAL'
  token_expires_at: string | null
  cooldown_until: string | null
}

export const queries = statements((db) => ({
  agent: db.prepare<[id: string], Hired>(
    `SELECT id, slug, workspace_id, crew_id, status, cli_adapter, llm_provider FROM agents
      WHERE id = ? AND deleted_at IS NULL`,
  ),
  /** What pays for a provider's models in the whole workspace, oldest first. */
  logins: db.prepare<[workspace: string, provider: string], LoginRow>(
    `SELECT id, name, type, status, token_expires_at, cooldown_until FROM credentials
      WHERE workspace_id = ? AND provider = ? AND deleted_at IS NULL AND scope = 'WORKSPACE'
      AND type IN ('API_KEY', 'AI_CLI_TOKEN') ORDER BY created_at, id`,
  ),
}))
