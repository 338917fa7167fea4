import { Flags } from '@oclif/core'
import type { Static } from 'typebox'
import type { CrewPatch } from '#contract/crews'
import { bodyOf, oneOf } from '../flags.ts'
import { decimal } from './numbers.ts'

const colors = ['blue', 'emerald', 'violet', 'amber', 'rose', 'cyan', 'lime', 'fuchsia', ''] as const

/** Flags of what a person decides of a crew. */
export const crewFlags = {
  description: Flags.string({ description: 'what the crew is for' }),
  icon: Flags.string({ description: 'an emoji or the name of an icon' }),
  color: oneOf(colors, {
    helpValue: colors.filter(Boolean).join('|'),
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
  'network-mode': oneOf(['restricted', 'free'], {
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

const members = {
  name: 'name',
  slug: 'slug',
  description: 'description',
  icon: 'icon',
  color: 'color',
  memory: 'container_memory_mb',
  cpus: 'container_cpus',
  ttl: 'container_ttl_hours',
  'network-mode': 'network_mode',
  'allowed-domain': 'allowed_domains',
  'allow-private-endpoints': 'allow_private_endpoints',
  image: 'runtime_image',
  'avatar-style': 'avatar_style',
  'issue-prefix': 'issue_prefix',
  'max-ephemeral-agents': 'max_ephemeral_agents',
}

/** The body of a create or a change from the flags that were given. */
export function crewBody(flags: { 'allowed-domain'?: string[] | undefined }) {
  const domains = flags['allowed-domain']?.filter(Boolean)
  return bodyOf<Static<typeof CrewPatch>>({ ...flags, ...(domains && { 'allowed-domain': domains }) }, members)
}
