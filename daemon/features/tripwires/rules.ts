import { hash, randomBytes } from 'node:crypto'
import type { TripwireKind, TripwireShape } from '#contract/tripwires'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Random characters; the few that are a little more frequent do no harm in 24 and more of them. */
const random = (length: number, alphabet = letters): string =>
  Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('')

/** The middle of a private key as OpenSSH writes one, in lines. */
function sshBody(): string {
  const head = Buffer.from('openssh-key-v1\0\0\0\0\x04none\0\0\0\x04none\0\0\0\0\0\0\0\x01')
  const text = Buffer.concat([head, randomBytes(216)]).toString('base64')
  return text.match(/.{1,70}/g)!.join('\n')
}

/** A value that looks like one of a provider's, and is known to none. */
export const newValue = (shape: TripwireShape): string =>
  ({
    aws: () => random(40),
    github: () => `ghp_${random(36)}`,
    model: () => `sk-proj-${random(64)}`,
    slack: () => `xoxb-${random(12, '0123456789')}-${random(13, '0123456789')}-${random(24)}`,
    ssh: sshBody,
    stripe: () => `sk_live_${random(48)}`,
  })[shape]()

const hints: readonly (readonly [RegExp, TripwireShape])[] = [
  [/aws/i, 'aws'],
  [/git(hub)?[_-]|gh_/i, 'github'],
  [/stripe/i, 'stripe'],
  [/api_key|llm|model/i, 'model'],
  [/slack/i, 'slack'],
  [/(^|\/)id_\w+$|ssh/i, 'ssh'],
]

/** What a decoy of that name would hold. */
export const shapeOf = (name: string): TripwireShape => hints.find(([hint]) => hint.test(name))?.[1] ?? 'stripe'

const variable = /^[A-Z][A-Z0-9_]{1,63}$/
const part = /^[A-Za-z0-9._-]{1,64}$/

/** Why a decoy cannot have this name; null when it can. */
export function nameFault(kind: TripwireKind, name: string): string | null {
  if (kind === 'credential')
    return variable.test(name) && !name.startsWith('SVC_')
      ? null
      : 'name is a variable of capital letters, digits and _, and none of Muster’s own'
  const parts = name.split('/')
  return parts.length <= 4 && parts.every((it) => part.test(it) && it !== '.' && it !== '..')
    ? null
    : 'name is a path below the home of an agent: up to four names of letters, digits, ., _ and -'
}

const variables: Readonly<Record<TripwireShape, string>> = {
  aws: 'AWS_SECRET_ACCESS_KEY',
  github: 'GITHUB_TOKEN',
  model: 'LLM_API_KEY',
  slack: 'SLACK_BOT_TOKEN',
  ssh: 'SSH_PRIVATE_KEY',
  stripe: 'STRIPE_SECRET_KEY',
}

/** What a decoy file holds: always the same for the same value. */
export function contentOf(name: string, shape: TripwireShape, value: string): string {
  if (shape === 'ssh') return `-----BEGIN OPENSSH PRIVATE KEY-----\n${value}\n-----END OPENSSH PRIVATE KEY-----\n`
  if (shape !== 'aws' || !name.endsWith('credentials')) return `${variables[shape]}=${value}\n`
  const bytes = hash('sha256', `id of ${value}`, 'buffer')
  const id = Array.from(bytes.subarray(0, 16), (byte) => upper[byte % upper.length]).join('')
  return `[default]\naws_access_key_id = AKIA${id}\naws_secret_access_key = ${value}\n`
}

/** By which a decoy file is known again. */
export const contentHash = (content: string): string => hash('sha256', content)
