import type { Role } from './roles.ts'

/** What a member may do beyond the role. Grants count as soon as there is what they allow. */
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

/** What a preset stands for, in the order of the list. */
export const presetCapabilities = (preset: Preset): Capability[] =>
  capabilities.filter((it) => whole[preset].includes(it))

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
