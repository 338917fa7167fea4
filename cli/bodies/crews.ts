import { Flags, type Interfaces } from '@oclif/core'
import type { Static } from 'typebox'
import { crewColors, networkModes } from '#client/words'
import type { CrewPatch } from '#contract/crews'
import { given, oneOf } from '../flags.ts'
import { decimal, share } from './numbers.ts'

const colors = [...crewColors, ''] as const

const surenessFlag = (description: string) =>
  Flags.custom<number | null>({ parse: share })({ helpGroup: 'MORE', helpValue: '0..1', description })

/** Flags of what a person decides of a crew. */
export const crewFlags = {
  description: Flags.string({ description: 'purpose of the crew' }),
  icon: Flags.string({ description: 'an emoji or the name of an icon' }),
  color: oneOf(colors, {
    helpValue: crewColors.join('|'),
    description: 'colour of the crew; empty for none',
  }),
  memory: Flags.integer({
    aliases: ['container-memory-mb'],
    min: 0,
    helpValue: 'MB',
    description: "memory of the container; 0 for the server's default",
  }),
  cpus: Flags.custom<number>({ parse: decimal })({
    aliases: ['container-cpus'],
    helpValue: 'N',
    description: "CPUs of the container; 0 for the server's default",
  }),
  ttl: Flags.integer({
    aliases: ['container-ttl-hours'],
    min: 0,
    helpValue: 'HOURS',
    description: 'stop the container after this many idle hours; 0 for never',
  }),
  'network-mode': oneOf(networkModes, {
    aliases: ['network'],
    description: 'network access of agents: allowed domains only, or everything',
  }),
  'allowed-domain': Flags.string({
    aliases: ['allowed-domains', 'allow-domain'],
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'HOST',
    description: 'host, or *.host, that agents may reach; repeatable, empty for none',
  }),
  'allow-private-endpoints': Flags.boolean({ allowNo: true, description: 'let agents reach private addresses' }),
  image: Flags.string({
    aliases: ['runtime-image'],
    description: "container image; empty for the server's default",
  }),
  'avatar-style': Flags.string({ helpGroup: 'MORE', description: "style of its agents' pictures; empty for none" }),
  'issue-prefix': Flags.string({
    helpGroup: 'MORE',
    helpValue: 'PREFIX',
    description: 'prefix of issue numbers, such as WEB',
  }),
  'max-ephemeral-agents': Flags.integer({
    min: 0,
    max: 100,
    description: 'maximum number of temporary agents at a time',
  }),
  'max-concurrent-agents': Flags.integer({
    helpGroup: 'MORE',
    min: 0,
    max: 1000,
    description: 'maximum number of delegated runs at a time; 0 for one for every 2048 MB of memory',
  }),
  'approve-below': surenessFlag('people must approve what agents are less sure of in missions; none for 0.5'),
  'notify-below': surenessFlag('tell people of what agents are less sure of in missions; none for never'),
  'auto-approve-from': surenessFlag('skip the approval of tasks of which agents are this sure; none for never'),
}

type Given = Partial<Interfaces.InferredFlags<typeof crewFlags>> & {
  name?: string | undefined
  slug?: string | undefined
}

const orNull = (number: number | undefined) => (number === 0 ? null : number)

function surenessOf(flags: Given) {
  const members = given({
    require_approval_below: flags['approve-below'],
    notify_threshold: flags['notify-below'],
    auto_approve_threshold: flags['auto-approve-from'],
  })
  return Object.keys(members).length ? members : undefined
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
    max_concurrent_agents: orNull(flags['max-concurrent-agents']),
    escalation_config: surenessOf(flags),
  })
