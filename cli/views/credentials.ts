import type { Static } from 'typebox'
import type { CredentialAudit } from '#contract/credential-audit'
import type { Assignment, Credential, Rotation, TestReply } from '#contract/credentials'
import { age, span, status, when, word } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

export const credentialView: View<Static<typeof Credential>> = {
  name: ({ name }) => name,
  empty: 'The vault is empty. Next: muster credentials create NAME --provider ANTHROPIC --type API_KEY',
  columns: {
    NAME: ({ name }) => name,
    TYPE: ({ type }) => word(type),
    PROVIDER: ({ provider }) => (provider === 'NONE' ? null : word(provider)),
    STATUS: (it) => status(it.status),
    SCOPE: ({ scope }) => word(scope),
    AGENTS: ({ _count }) => _count.agents,
    'LAST-USED': ({ last_used_at }) => when(last_used_at),
    AGE: ({ created_at }) => age(created_at),
  },
  detail: {
    Name: ({ name }) => name,
    Id: ({ id }) => id,
    Type: ({ type }) => word(type),
    Provider: ({ provider }) => (provider === 'NONE' ? null : word(provider)),
    Status: (it) => status(it.status),
    'Last error': ({ last_error }) => (last_error ? { text: last_error, tone: 'red' } : null),
    Description: ({ description }) => description,
    Scope: ({ scope, crew_ids }) => (scope === 'CREW' ? `crews ${crew_ids.join(', ')}` : 'workspace'),
    Level: ({ security_level_label }) => security_level_label,
    Tags: ({ tags }) => tags.join(', '),
    Account: ({ account_label, account_email }) => [account_label, account_email].filter(Boolean).join(', '),
    Expires: ({ token_expires_at }) => when(token_expires_at),
    Agents: ({ agent_names }) => agent_names.join(', '),
    'Last used': ({ last_used_at }) => when(last_used_at),
    'Last checked': ({ last_checked_at }) => when(last_checked_at),
    Created: ({ created_at }) => when(created_at),
    Updated: ({ updated_at }) => when(updated_at),
  },
}

export const testView: View<Static<typeof TestReply>> = {
  name: (it) => it.status,
  columns: {
    Result: (it) => status(it.status),
    Reason: ({ error }) => error,
    Note: ({ supported }) => (supported ? null : 'Muster knows no way to ask this provider'),
  },
}

export const rotationView: View<Static<typeof Rotation>> = {
  name: ({ id }) => id,
  empty: 'The value has not been rotated.',
  columns: {
    ID: ({ id }) => id,
    STATUS: (it) => status(it.status),
    BY: ({ rotated_by }) => rotated_by,
    GRACE: ({ grace_seconds }) => ({ text: span(grace_seconds), value: grace_seconds }),
    'OLD-VALUE': ({ old_value_gone, expires_at }) => (old_value_gone ? 'erased' : when(expires_at)),
    AGE: ({ rotated_at }) => age(rotated_at),
  },
}

export const auditView: View<Static<typeof CredentialAudit>> = {
  name: ({ id }) => id,
  columns: {
    EVENT: ({ event }) => word(event),
    BY: ({ actor_kind, actor_name, actor_id }) => actor_name ?? [actor_kind, actor_id].filter(Boolean).join(' '),
    DETAIL: ({ detail }) => (Object.keys(detail).length ? JSON.stringify(detail) : null),
    AGE: ({ created_at }) => age(created_at),
  },
}

export const assignmentView: View<Static<typeof Assignment>> = {
  name: ({ credential_name }) => credential_name,
  empty: 'The agent has no credentials. Next: muster credentials assign NAME --agent AGENT',
  columns: {
    NAME: ({ credential_name }) => credential_name,
    VARIABLE: ({ env_var_name }) => env_var_name,
    PROVIDER: ({ credential_provider }) => word(credential_provider),
    STATUS: ({ credential_status, expired }) => status(expired ? 'EXPIRED' : credential_status),
    BY: ({ grant_source }) => grant_source,
    PRIORITY: ({ priority }) => priority,
    EXPIRES: ({ expires_at }) => when(expires_at),
    AGE: ({ created_at }) => age(created_at),
  },
}
