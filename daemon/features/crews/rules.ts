import type { Static } from 'typebox'
import type { CrewDraft, CrewPatch, EscalationConfig } from '#contract/crews'
import { blankToNull, cleanName } from '#kernel/http/fields'
import { problem } from '#kernel/problem'

/** The members of a crew that people set. Null memory, processors and image follow the server's configuration. */
export interface CrewMembers {
  name: string
  slug: string
  description: string | null
  icon: string | null
  color: string | null
  container_memory_mb: number | null
  container_cpus: number | null
  container_ttl_hours: number | null
  network_mode: 'restricted' | 'free'
  allowed_domains: string[]
  allow_private_endpoints: boolean
  runtime_image: string | null
  avatar_style: string | null
  issue_prefix: string | null
  max_ephemeral_agents: number
  /** Null: as its memory allows. */
  max_concurrent_agents: number | null
  escalation_config: Confidence | null
}

export type Confidence = Static<typeof EscalationConfig>

const blank: CrewMembers = {
  name: '',
  slug: '',
  description: null,
  icon: null,
  color: null,
  container_memory_mb: null,
  container_cpus: null,
  container_ttl_hours: null,
  network_mode: 'restricted',
  allowed_domains: [],
  allow_private_endpoints: false,
  runtime_image: null,
  avatar_style: null,
  issue_prefix: null,
  max_ephemeral_agents: 10,
  max_concurrent_agents: null,
  escalation_config: null,
}

export const memberNames: readonly string[] = Object.keys(blank)

/** The crew after a create (no `before`) or a change; refuses what does not fit together. */
export function merge(
  body: Static<typeof CrewDraft> | Static<typeof CrewPatch>,
  before: CrewMembers = blank,
): CrewMembers {
  const next = {
    ...before,
    ...given(body, 'slug', 'network_mode', 'allow_private_endpoints', 'max_ephemeral_agents', 'max_concurrent_agents'),
    ...(body.avatar_style !== undefined && { avatar_style: blankToNull(body.avatar_style) }),
    ...(body.issue_prefix !== undefined && { issue_prefix: body.issue_prefix || null }),
    ...(body.name !== undefined && { name: cleanName('name', body.name, { min: 2, max: 100, unit: 'characters' }) }),
    ...(body.description !== undefined && { description: blankToNull(body.description) }),
    ...(body.icon !== undefined && { icon: blankToNull(body.icon) }),
    ...(body.color !== undefined && { color: body.color || null }),
    ...(body.container_memory_mb !== undefined && {
      container_memory_mb: atLeast('container_memory_mb', body.container_memory_mb, 6),
    }),
    ...(body.container_cpus !== undefined && { container_cpus: atLeast('container_cpus', body.container_cpus, 0.01) }),
    ...(body.container_ttl_hours !== undefined && { container_ttl_hours: body.container_ttl_hours }),
    ...(body.allowed_domains !== undefined && { allowed_domains: domains(body.allowed_domains) }),
    ...(body.escalation_config !== undefined && {
      escalation_config: confidence(before.escalation_config, body.escalation_config),
    }),
    ...(body.runtime_image !== undefined && { runtime_image: image(body.runtime_image) }),
  } as CrewMembers
  if (next.network_mode === 'free' && next.allowed_domains.length) {
    const detail = 'allowed_domains count only when network_mode is restricted; send an empty list with free'
    throw problem('invalid_field', { field: 'allowed_domains', detail })
  }
  return next
}

const given = (body: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(body).filter(([name, value]) => names.includes(name) && value !== undefined))

/** What is given in place of what was there; null where nothing is left. */
function confidence(before: Confidence | null, given: Confidence | null): Confidence | null {
  if (given === null) return null
  const left = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null && value !== undefined)
  return left.length ? (Object.fromEntries(left) as Confidence) : null
}

/** 0 and null mean the server's default. */
function atLeast(field: string, value: number | null, least: number): number | null {
  if (!value) return null
  if (value < least)
    throw problem('invalid_field', {
      field,
      detail: `${field} must be at least ${least}, or 0 for the server's default`,
    })
  return value
}

const label = '[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?'
const host = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`)

function domains(list: string[]): string[] {
  const cleaned = list.map((given, index) => {
    const domain = given.trim().toLowerCase().replace(/\.$/, '')
    if (domain.length <= 253 && host.test(domain)) return domain
    throw problem('invalid_field', {
      field: `allowed_domains.${index}`,
      detail:
        `"${given.slice(0, 100)}" is not a host name; write example.com or *.example.com, in ASCII, ` +
        'without scheme, port or path',
    })
  })
  return [...new Set(cleaned)]
}

const reference = /^[a-z0-9][A-Za-z0-9_]*(?:[._:/@-]+[A-Za-z0-9_]+)*$/

function image(given: string | null): string | null {
  const name = blankToNull(given)?.trim() ?? null
  if (name !== null && !reference.test(name))
    throw problem('invalid_field', {
      field: 'runtime_image',
      detail: 'runtime_image must be an image reference such as debian:12',
    })
  return name
}

/** Warnings about limits that are allowed but too tight for a coding agent. */
export function tightness({
  container_memory_mb: memory,
  container_cpus: cpus,
}: Pick<CrewMembers, 'container_memory_mb' | 'container_cpus'>): string[] {
  return [
    ...(memory !== null && memory < 2048
      ? [`container_memory_mb ${memory} is under 2048: coding agents may be killed for want of memory`]
      : []),
    ...(cpus !== null && cpus < 0.5
      ? [`container_cpus ${cpus} is under 0.5: agents will be slow and may run into their time limit`]
      : []),
  ]
}
