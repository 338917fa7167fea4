import { statements } from '#kernel/store/db'
import type { CredentialRow } from '../queries.ts'

export type Found = Pick<
  CredentialRow,
  'id' | 'encrypted_value' | 'status' | 'token_expires_at' | 'cooldown_until' | 'security_level'
>

export type Given = Found & Pick<CredentialRow, 'type' | 'security_level'>

export const queries = statements((db) => ({
  /**
   * What a crew may use under a name or from a provider: what is named so first, then what is the crew's own. Tokens
   * are for the server that they were issued for alone.
   */
  named: db.prepare<[{ workspace: string; crew: string | null; name: string }], Found>(
    `SELECT c.id, c.encrypted_value, c.status, c.token_expires_at, c.cooldown_until,
      c.security_level FROM credentials c
     WHERE c.workspace_id = @workspace AND c.deleted_at IS NULL AND c.type <> 'OAUTH2'
      AND (c.name = @name COLLATE NOCASE OR c.provider = @name COLLATE NOCASE)
      AND (c.scope = 'WORKSPACE' OR EXISTS
        (SELECT 1 FROM credential_crews x WHERE x.credential_id = c.id AND x.crew_id = @crew))
     ORDER BY c.name = @name COLLATE NOCASE DESC, c.scope = 'CREW' DESC, c.created_at, c.id LIMIT 20`,
  ),
  /** What a crew may use that is named so, or that one of its agents has under that variable. */
  given: db.prepare<[{ workspace: string; crew: string | null; name: string }], Given>(
    `SELECT c.id, c.encrypted_value, c.status, c.token_expires_at, c.cooldown_until, c.type, c.security_level
     FROM credentials c
     WHERE c.workspace_id = @workspace AND c.deleted_at IS NULL AND c.type <> 'OAUTH2'
      AND (c.name = @name COLLATE NOCASE OR EXISTS
      (SELECT 1 FROM agent_credentials g JOIN agents a ON a.id = g.agent_id
       WHERE g.credential_id = c.id AND g.env_var_name = @name AND a.crew_id = @crew AND a.deleted_at IS NULL))
      AND (c.scope = 'WORKSPACE' OR EXISTS
        (SELECT 1 FROM credential_crews x WHERE x.credential_id = c.id AND x.crew_id = @crew))
     ORDER BY c.name = @name COLLATE NOCASE DESC, c.scope = 'CREW' DESC, c.created_at, c.id LIMIT 20`,
  ),
  /** Who stored what is of a variable's name. */
  owners: db
    .prepare<[{ workspace: string; name: string }], string | null>(
      `SELECT c.created_by FROM credentials c
       WHERE c.workspace_id = @workspace AND c.deleted_at IS NULL AND c.type <> 'OAUTH2'
        AND (c.name = @name COLLATE NOCASE OR EXISTS
        (SELECT 1 FROM agent_credentials g WHERE g.credential_id = c.id AND g.env_var_name = @name))`,
    )
    .pluck(),
  /** What the workspace holds under the name of a variable, its own or that under which an agent has it. */
  variable: db.prepare<[{ workspace: string; name: string }], Found>(
    `SELECT c.id, c.encrypted_value, c.status, c.token_expires_at, c.cooldown_until,
      c.security_level FROM credentials c
     WHERE c.workspace_id = @workspace AND c.deleted_at IS NULL AND c.type <> 'OAUTH2'
      AND (c.name = @name COLLATE NOCASE OR EXISTS
      (SELECT 1 FROM agent_credentials g WHERE g.credential_id = c.id AND g.env_var_name = @name))`,
  ),
}))
