import type { Static } from 'typebox'
import type { ContainerReply, ContainerStatusReply, Crew as Schema } from '#contract/crews'
import { age, status, when } from '../output/cell.ts'
import type { View } from '../output/printer.ts'

type Crew = Static<typeof Schema>

const memory = (mb: number) => ({ text: mb >= 1024 ? `${+(mb / 1024).toFixed(1)} GB` : `${mb} MB`, value: mb })

const sureness = (share: number | null | undefined) =>
  share === null || share === undefined ? null : { text: `${Math.round(share * 100)}% sure`, value: share }

export const crewView: View<Crew> = {
  name: ({ slug }) => slug,
  empty: 'There are no crews here. Next: muster crews create NAME',
  columns: {
    NAME: ({ slug }) => slug,
    AGENTS: ({ _count }) => _count.agents,
    NETWORK: ({ network_mode }) => network_mode,
    MEMORY: ({ container_memory_mb }) => memory(container_memory_mb),
    CPUS: ({ container_cpus }) => container_cpus,
    AGE: ({ created_at }) => age(created_at),
  },
  wide: { 'DISPLAY-NAME': ({ name }) => name, ID: ({ id }) => id },
  detail: {
    Slug: ({ slug }) => slug,
    Name: ({ name }) => name,
    Id: ({ id }) => id,
    Description: ({ description }) => description,
    Agents: ({ _count }) => _count.agents,
    Members: ({ _count }) => _count.members || null,
    Memory: ({ container_memory_mb }) => memory(container_memory_mb),
    CPUs: ({ container_cpus }) => container_cpus,
    'Idle stop': ({ container_ttl_hours: hours }) =>
      hours === 0 ? 'never' : hours === null ? 'after 4 h' : `after ${hours} h`,
    Network: ({ network_mode }) => network_mode,
    'Not enforced': ({ network_mode_enforced: enforced, network_mode_unenforced_reason: reason }) =>
      enforced || !reason ? null : { text: reason, tone: 'yellow' },
    'Allowed domains': ({ allowed_domains }) => allowed_domains.join(', '),
    'Private addresses': ({ allow_private_endpoints }) => (allow_private_endpoints ? 'allowed' : null),
    Image: ({ runtime_image }) => runtime_image,
    'Issue prefix': ({ issue_prefix }) => issue_prefix,
    'Hired agents': ({ max_ephemeral_agents }) => `at most ${max_ephemeral_agents}`,
    'Delegated runs': ({ max_concurrent_agents: most }) => (most === null ? null : `at most ${most} at once`),
    'Approve below': ({ escalation_config }) => sureness(escalation_config?.require_approval_below),
    'Notify below': ({ escalation_config }) => sureness(escalation_config?.notify_threshold),
    'Auto-approve from': ({ escalation_config }) => sureness(escalation_config?.auto_approve_threshold),
    Created: ({ created_at }) => when(created_at),
    Updated: ({ updated_at }) => when(updated_at),
  },
}

export const containerView: View<Static<typeof ContainerStatusReply>> = {
  name: ({ slug }) => slug,
  columns: {
    Crew: ({ slug }) => slug,
    Container: (it) => status(it.status),
    Desired: ({ desired }) => desired,
    Since: ({ started_at }) => when(started_at),
    Id: ({ container_id }) => container_id?.slice(0, 12),
    Settings: ({ runtime_contract: contract }) =>
      contract === 'stale' ? { text: 'changed since it started', value: contract, tone: 'yellow' } : contract,
    Memory: ({ effective_memory_mb: mb, configured_memory_mb }) => memory(mb ?? configured_memory_mb),
    CPUs: ({ effective_cpus, configured_cpus }) => effective_cpus ?? configured_cpus,
    Differs: ({ config_drift }) => config_drift.join(', '),
    Error: ({ error }) => (error ? { text: error, tone: 'red' } : null),
  },
}

export const startedView: View<Static<typeof ContainerReply>> = {
  name: ({ slug }) => slug,
  columns: {
    NAME: ({ slug }) => slug,
    STATUS: (it) => status(it.status),
    ID: ({ container_id }) => container_id?.slice(0, 12),
  },
}
