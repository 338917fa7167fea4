import { describe, expect, it } from 'vitest'
import type { Problem } from '#kernel/problem'
import { type CrewMembers, merge, tightness } from '../../../../daemon/features/crews/rules.ts'

const draft = { name: 'Backend', slug: 'backend' }
/** A crew of which every member differs from what a new one has. */
const set: CrewMembers = {
  name: 'Backend',
  slug: 'backend',
  description: 'What it does',
  icon: 'anchor',
  color: 'blue',
  container_memory_mb: 4096,
  container_cpus: 2,
  container_ttl_hours: 8,
  network_mode: 'restricted',
  allowed_domains: ['example.com'],
  allow_private_endpoints: true,
  runtime_image: 'debian:12',
  avatar_style: 'pixel',
  issue_prefix: 'WEB',
  max_ephemeral_agents: 3,
  max_concurrent_agents: 2,
  escalation_config: { require_approval_below: 0.4, notify_threshold: 0.8 },
}
const refusal = (body: object, before?: CrewMembers) => {
  try {
    return merge(body, before)
  } catch (error) {
    const { code, field } = error as Problem
    return [code, field]
  }
}

describe('merge', () => {
  it.each<[object, object]>([
    [{ name: ' Web ' }, { name: 'Web' }],
    [{ name: 'ab' }, { name: 'ab' }],
    [{ name: 'é'.repeat(100) }, { name: 'é'.repeat(100) }],
    [{ slug: 'web' }, { slug: 'web' }],
    [{ escalation_config: null }, { escalation_config: null }],
    [
      { escalation_config: { require_approval_below: 0 } },
      { escalation_config: { require_approval_below: 0, notify_threshold: 0.8 } },
    ],
    [{ escalation_config: { require_approval_below: null, notify_threshold: null } }, { escalation_config: null }],
    [{ description: 'New' }, { description: 'New' }],
    [{ description: ' ' }, { description: null }],
    [{ description: null }, { description: null }],
    [{ icon: 'ship' }, { icon: 'ship' }],
    [{ icon: '' }, { icon: null }],
    [{ color: 'rose' }, { color: 'rose' }],
    [{ color: '' }, { color: null }],
    [{ color: null }, { color: null }],
    [{ container_memory_mb: 6 }, { container_memory_mb: 6 }],
    [{ container_memory_mb: 0 }, { container_memory_mb: null }],
    [{ container_memory_mb: null }, { container_memory_mb: null }],
    [{ container_cpus: 0.01 }, { container_cpus: 0.01 }],
    [{ container_cpus: 0 }, { container_cpus: null }],
    [{ container_ttl_hours: 0 }, { container_ttl_hours: 0 }],
    [{ container_ttl_hours: null }, { container_ttl_hours: null }],
    [{ allowed_domains: [] }, { allowed_domains: [] }],
    [
      { network_mode: 'free', allowed_domains: [] },
      { network_mode: 'free', allowed_domains: [] },
    ],
    [{ allow_private_endpoints: false }, { allow_private_endpoints: false }],
    [{ runtime_image: ' ghcr.io/a/b:1 ' }, { runtime_image: 'ghcr.io/a/b:1' }],
    [{ runtime_image: ' ' }, { runtime_image: null }],
    [{ runtime_image: null }, { runtime_image: null }],
    [{ avatar_style: 'toon' }, { avatar_style: 'toon' }],
    [{ avatar_style: ' ' }, { avatar_style: null }],
    [{ issue_prefix: 'API' }, { issue_prefix: 'API' }],
    [{ issue_prefix: '' }, { issue_prefix: null }],
    [{ max_ephemeral_agents: 0 }, { max_ephemeral_agents: 0 }],
    [{ max_concurrent_agents: 5 }, { max_concurrent_agents: 5 }],
    [{ max_concurrent_agents: null }, { max_concurrent_agents: null }],
    [{ favourite_food: 'cake' }, {}],
    [Object.fromEntries(Object.keys(set).map((name) => [name, undefined])), {}],
  ])('changes %j to %j and nothing else', (body, changed) => {
    expect(merge(body, set)).toEqual({ ...set, ...changed })
  })

  it.each([
    ['name', { name: ' x ' }],
    ['name', { name: '\u0958'.repeat(51) }],
    ['container_memory_mb', { container_memory_mb: 5 }],
    ['container_cpus', { container_cpus: 0.009 }],
    ['runtime_image', { runtime_image: '--privileged' }],
    ['allowed_domains', { network_mode: 'free' }],
  ])('refuses %s in %j', (field, body) => expect(refusal(body, set)).toEqual(['invalid_field', field]))

  it('says how long a name may be', () => {
    expect(() => merge({ name: 'x' }, set)).toThrow('name must have 2 to 100 characters')
  })

  const host = (last: number) => [63, 63, 63, last].map((length) => 'x'.repeat(length)).join('.')

  it.each([host(61), 'x'.repeat(63), '*.example.com', 'a', 'my_host-1.example.com'])('takes the host %s', (domain) => {
    expect(merge({ ...draft, allowed_domains: [domain] }).allowed_domains).toEqual([domain])
  })

  it.each([
    host(62),
    'x'.repeat(64),
    '',
    '*',
    '*.',
    '.',
    'a..b',
    '-a',
    'a-',
    '*.*.example.com',
    'exämple.com',
    'example.com..',
  ])('refuses the host %s', (domain) => {
    expect(refusal({ ...draft, allowed_domains: ['ok.example', domain] })).toEqual([
      'invalid_field',
      'allowed_domains.1',
    ])
  })

  it('takes a host once, however it is written', () => {
    expect(merge({ ...draft, allowed_domains: [' Example.COM. ', 'example.com'] }).allowed_domains).toEqual([
      'example.com',
    ])
  })
})

describe('tightness', () => {
  it.each([
    [2047, null, [expect.stringMatching(/^container_memory_mb 2047 /)]],
    [2048, 0.5, []],
    [null, 0.49, [expect.stringMatching(/^container_cpus 0\.49 /)]],
    [null, null, []],
  ])('of %s MiB and %s processors', (container_memory_mb, container_cpus, warnings) => {
    expect(tightness({ container_memory_mb, container_cpus })).toEqual(warnings)
  })
})
