import { Flags, type Interfaces } from '@oclif/core'
import type { Static } from 'typebox'
import { crewColors, networkModes } from '#client/words'
import type { CrewPatch } from '#contract/crews'
import { given, oneOf } from '../flags.ts'
import { decimal } from './numbers.ts'

const colors = [...crewColors, ''] as const

/** Flags of what a person decides of a crew. */
export const crewFlags = {
  description: Flags.string({ description: 'what the crew is for' }),
  icon: Flags.string({ description: 'an emoji or the name of an icon' }),
  color: oneOf(colors, {
    helpValue: crewColors.join('|'),
    description: 'colour of the crew; empty for none',
  }),
  memory: Flags.integer({
    aliases: ['container-memory-mb'],
    min: 0,
    helpValue: 'MB',
    description: "memory of the container; 0 means the server's default",
  }),
  cpus: Flags.custom<number>({ parse: decimal })({
    aliases: ['container-cpus'],
    helpValue: 'N',
    description: "processors of the container; 0 means the server's default",
  }),
  ttl: Flags.integer({
    aliases: ['container-ttl-hours'],
    min: 0,
    helpValue: 'HOURS',
    description: 'stop the container after being idle that long; 0 means never',
  }),
  'network-mode': oneOf(networkModes, {
    aliases: ['network'],
    description: 'what agents reach: only allowed domains, or everything',
  }),
  'allowed-domain': Flags.string({
    aliases: ['allowed-domains', 'allow-domain'],
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'HOST',
    description: 'a host, or *.host, that agents reach; repeat for more, empty for none',
  }),
  'allow-private-endpoints': Flags.boolean({ allowNo: true, description: 'let agents reach private addresses' }),
  image: Flags.string({
    aliases: ['runtime-image'],
    description: "image of the container; empty means the server's own",
  }),
  'avatar-style': Flags.string({ description: "how its agents' pictures are drawn; empty for no rule" }),
  'issue-prefix': Flags.string({ helpValue: 'PREFIX', description: 'what numbers of issues begin with, as WEB' }),
  'max-ephemeral-agents': Flags.integer({ min: 0, max: 100, description: 'agents that may be hired at a time' }),
}

type Given = Partial<Interfaces.InferredFlags<typeof crewFlags>> & {
  name?: string | undefined
  slug?: string | undefined
}

/** The body of a create or a change from the flags that were given. */
export const crewBody = (flags: Given): Static<typeof CrewPatch> =>
  given({
    name: flags.name,
    slug: flags.slug,
    description: flags.description,
    icon: flags.icon,
    color: flags.color,
    container_memory_mb: flags.memory,
    container_cpus: flags.cpus,
    container_ttl_hours: flags.ttl,
    network_mode: flags['network-mode'],
    allowed_domains: flags['allowed-domain']?.filter(Boolean),
    allow_private_endpoints: flags['allow-private-endpoints'],
    runtime_image: flags.image,
    avatar_style: flags['avatar-style'],
    issue_prefix: flags['issue-prefix'],
    max_ephemeral_agents: flags['max-ephemeral-agents'],
  })
