import type { Role } from './roles.ts'

/** What a member may do beyond the role. Contract part 1, section 11.4. */
export const capabilities = [
  'chat',
  'routine.create',
  'routine.run',
  'skill.create',
  'credential.create',
  'credential.rotate',
  'credentials:reveal',
  'issue.create',
  'page.create',
  'memory.write',
] as const
export type Capability = (typeof capabilities)[number]

/** Those that have an effect in this version. The others are refused by name: what is stored is obeyed. */
export const knownCapabilities: readonly Capability[] = ['chat', 'credential.create', 'credential.rotate']

export const presets = ['chat', 'power', 'admin'] as const
export type Preset = (typeof presets)[number]

const whole: Record<Preset, readonly Capability[]> = {
  chat: ['chat'],
  power: ['chat', 'routine.create', 'routine.run', 'issue.create', 'memory.write'],
  admin: [
    'chat',
    'routine.create',
    'routine.run',
    'issue.create',
    'memory.write',
    'skill.create',
    'credential.create',
    'credential.rotate',
  ],
}

/** What a preset stands for, as far as this version knows it. */
export const presetCapabilities = (preset: Preset): Capability[] =>
  whole[preset].filter((it) => knownCapabilities.includes(it))

const ofRole: Record<Role, Preset> = {
  OWNER: 'admin',
  ADMIN: 'admin',
  MANAGER: 'power',
  MEMBER: 'chat',
  VIEWER: 'chat',
}

/** What comes with a role while nobody said otherwise. */
export const roleCapabilities = (role: Role): Capability[] =>
  presetCapabilities(ofRole[role]).filter((it) => it !== 'routine.run')
