import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { mailTarget } from './mail/target.ts'
import { hint } from './nearest.ts'
import { isLoopbackHost } from './outbound/addresses.ts'
import { type Setting, settings, type VendorSetting } from './settings.ts'

type Name = keyof typeof settings
type Value<S extends Setting> = S['kind'] extends 'integer' | 'number' | 'duration'
  ? number
  : S['kind'] extends 'boolean'
    ? boolean
    : S['kind'] extends 'list'
      ? string[]
      : S extends { choices: readonly (infer C)[] }
        ? C
        : string

export type Config = { readonly [N in Name]: Value<(typeof settings)[N]> } & {
  /** Settings of adapters and providers, by path. */
  readonly vendor: Readonly<Record<string, string>>
}
export type Origin = 'flag' | 'environment' | 'file' | 'default'

export interface LoadedConfig {
  config: Config
  /** By name; vendors' settings by path. */
  origins: Record<string, Origin>
  file: string | null
}

/** A setting is invalid. The message names the setting, its origin and the values that it takes. */
export class ConfigError extends Error {}

interface Sources {
  flags?: Record<string, string | undefined>
  env?: NodeJS.ProcessEnv
  /** Path of the YAML file; `SVC_CONFIG_FILE`, else `$XDG_CONFIG_HOME/muster/musterd.yaml` when that exists. */
  file?: string
  vendor?: readonly VendorSetting[]
}

export function loadConfig({ flags = {}, env = process.env, file, vendor = [] }: Sources = {}): LoadedConfig {
  const named = file ?? flags['config'] ?? env['SVC_CONFIG_FILE']
  const path = named ?? join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'muster', 'musterd.yaml')
  const known = [...Object.values(settings), ...vendor].map((it) => it.path)
  const inFile = readSettings(path, named !== undefined, known)
  const config: Record<string, unknown> = {}
  const origins: Record<string, Origin> = {}
  const take = (name: string, it: Setting, into: Record<string, unknown>) => {
    const [origin, raw] = pick(it, flags, env, inFile?.get(it.path))
    origins[name] = origin
    into[name] = origin === 'default' ? it.fallback : read(it, raw, origin)
  }
  for (const [name, it] of Object.entries(settings)) take(name, it, config)
  const ofVendors: Record<string, unknown> = {}
  for (const it of vendor) take(it.path, it, ofVendors)
  config['vendor'] = ofVendors
  config['dataDir'] = resolve(
    (config['dataDir'] as string) || join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'muster'),
  )
  const done = config as Config
  checkTogether(done)
  return { config: done, origins, file: inFile ? path : null }
}

function pick(
  it: Setting,
  flags: Record<string, string | undefined>,
  env: NodeJS.ProcessEnv,
  inFile: unknown,
): [Origin, unknown] {
  const flag = it.flag === undefined ? undefined : flags[it.flag]
  if (flag !== undefined) return ['flag', flag]
  if (env[it.env] !== undefined && env[it.env] !== '') return ['environment', env[it.env]]
  const other = it.also === undefined ? undefined : env[it.also]
  if (other !== undefined && other !== '') return ['environment', other]
  if (inFile !== undefined && inFile !== null) return ['file', inFile]
  return ['default', undefined]
}

function readSettings(path: string, required: boolean, known: readonly string[]): Map<string, unknown> | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new ConfigError(`The configuration file ${path} cannot be read: ${(error as Error).message}`)
  }
  let document: unknown
  try {
    document = parse(text, { maxAliasCount: 0, logLevel: 'error' }) ?? {}
  } catch (error) {
    // What follows shows the lines around, which may hold secrets, and this is logged.
    const where = (error as Error).message.split(/:?\n/, 1)[0]
    throw new ConfigError(`The configuration file ${path} is not valid YAML: ${where}`)
  }
  if (typeof document !== 'object' || Array.isArray(document))
    throw new ConfigError(`The configuration file ${path} must consist of sections such as "server:"`)
  const found = new Map<string, unknown>()
  flatten(document as object, '', found)
  for (const [key, value] of found) {
    const emptySection = value === null && known.some((name) => name.startsWith(`${key}.`))
    if (!known.includes(key) && !emptySection)
      throw new ConfigError(`${path} has an unknown setting "${key}"${hint(key, known)}`)
  }
  return found
}

function flatten(value: unknown, prefix: string, into: Map<string, unknown>): void {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    into.set(prefix, value)
    return
  }
  for (const [key, member] of Object.entries(value)) flatten(member, prefix ? `${prefix}.${key}` : key, into)
}

function read(it: Setting, raw: unknown, origin: Origin): unknown {
  const name = origin === 'environment' ? it.env : origin === 'flag' ? `--${it.flag}` : it.path
  const refuse = (wanted: string) =>
    new ConfigError(`${name} must be ${wanted}${it.secret ? '' : `, not ${JSON.stringify(raw)}`}`)
  if (it.kind === 'list') {
    const list = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',') : null
    if (!list?.every((item) => typeof item === 'string')) throw refuse('a list of texts, or one text with commas')
    return list.map((item) => item.trim()).filter(Boolean)
  }
  if (it.kind === 'boolean') {
    if (raw === true || raw === 'true' || raw === '1') return true
    if (raw === false || raw === 'false' || raw === '0') return false
    throw refuse('true or false')
  }
  if (it.kind === 'string') {
    if (typeof raw !== 'string') throw refuse('text')
    if (it.choices && !it.choices.includes(raw)) throw refuse(`one of ${it.choices.join(', ')}`)
    return raw
  }
  const number = it.kind === 'duration' ? seconds(raw) : decimal(raw)
  const isKind = Number.isFinite(number) && (it.kind !== 'integer' || Number.isInteger(number))
  if (!isKind) throw refuse(numberKinds[it.kind])
  if (number < (it.min ?? -Infinity) || number > (it.max ?? Infinity)) throw refuse(range(it.kind, it))
  return number
}

const numberKinds = {
  integer: 'a whole number',
  number: 'a number',
  duration: 'a duration such as 10s, 5m or 2h',
}

/** Limits of durations are seconds. */
function range(kind: keyof typeof numberKinds, { min, max }: Setting): string {
  const [noun, unit] = kind === 'duration' ? ['a duration', ' seconds'] : [numberKinds[kind], '']
  if (min !== undefined && max !== undefined) return `${noun} from ${min} to ${max}${unit}`
  return min === undefined ? `${noun} up to ${max}${unit}` : `${noun} of ${min}${unit} or more`
}

const decimal = (raw: unknown): number =>
  typeof raw === 'number'
    ? raw
    : typeof raw === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(raw)
      ? Number(raw)
      : Number.NaN

function seconds(raw: unknown): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(String(raw).trim())
  if (!match) return Number.NaN
  return Number(match[1]) * { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 }[(match[2] ?? 's') as 's']
}

function checkTogether(config: Config): void {
  if (Boolean(config.tlsCert) !== Boolean(config.tlsKey))
    throw new ConfigError('server.tls_cert and server.tls_key belong together: set both or neither')
  if (!isLoopbackHost(config.host) && !config.tlsCert && !config.trustedProxies.length) {
    throw new ConfigError(
      `Listening on ${config.host} would carry tokens over the network in clear. Set SVC_TLS_CERT and SVC_TLS_KEY, ` +
        'or name the TLS proxy in front in SVC_TRUSTED_PROXY_CIDRS, or listen on 127.0.0.1',
    )
  }
  for (const cidr of config.trustedProxies)
    if (!isNetwork(cidr))
      throw new ConfigError(`server.trusted_proxies must list addresses or networks such as 10.0.0.0/8, not "${cidr}"`)
  for (const origin of config.allowedOrigins) {
    if (!isOrigin(origin))
      throw new ConfigError(
        `server.allowed_origins must list scheme and host alone, such as https://muster.example, not "${origin}"`,
      )
  }
  checkAliases('server.health_aliases', config.healthAliases)
  checkAliases('managed_integrations.path_aliases', config.managedAliases)
  for (const [name, address] of [
    ['managed_integrations.base_url', config.managedBaseUrl],
    ['integrations.registry_url', config.registryUrl],
  ] as const)
    if (address && !isHttp(address))
      throw new ConfigError(`${name} must be an address that begins with http:// or https://, not "${address}"`)
  if (config.publicUrl && !isHttp(config.publicUrl))
    throw new ConfigError(
      `server.public_url must be an address that begins with http:// or https://, not "${config.publicUrl}"`,
    )
  checkExposed(config)
  checkIssuer(config)
  try {
    mailTarget(config)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
  if (config.sessionSecret && config.sessionSecret.length < 32)
    throw new ConfigError('SVC_JWT_SECRET must have at least 32 characters')
  if (config.internalToken && config.internalToken.length < 32)
    throw new ConfigError('SVC_INTERNAL_TOKEN must have at least 32 characters')
  if (config.rateLimitDisabled && config.env === 'production')
    throw new ConfigError('SVC_RATELIMIT_DISABLED is refused in production; set SVC_ENV=development')
}

function checkAliases(setting: string, aliases: readonly string[]): void {
  for (const alias of aliases)
    if (!/^[a-z][a-z0-9-]{0,31}$/.test(alias))
      throw new ConfigError(
        `${setting} must list names of a-z, 0-9 and - that begin with a letter, such as old-server, not "${alias}"`,
      )
  if (new Set(aliases).size < aliases.length) throw new ConfigError(`${setting} must not list a name twice`)
}

/** Capability URLs contain tokens, so they need TLS off this machine, and an address that browsers can reach. */
function checkExposed({ exposedHost, exposedUrl, exposedPort, host, port, tlsCert, trustedProxies }: Config): void {
  if (exposedUrl && !isHttp(exposedUrl))
    throw new ConfigError(`exposed.url must be an address that begins with http:// or https://, not "${exposedUrl}"`)
  if (exposedUrl && !exposedHost)
    throw new ConfigError('exposed.url is the address of the listener for exposed ports: set exposed.host too')
  if (!exposedHost) return
  if (!isLoopbackHost(exposedHost) && !exposedUrl)
    throw new ConfigError('exposed.host is not loopback: set exposed.url to the address that browsers reach it at')
  if (!isLoopbackHost(exposedHost) && !tlsCert && !trustedProxies.length)
    throw new ConfigError(
      'exposed.host would carry tokens over the network in clear: set SVC_TLS_CERT and SVC_TLS_KEY, ' +
        'or SVC_TRUSTED_PROXY_CIDRS',
    )
  if (port !== 0 && port === exposedPort && host === exposedHost)
    throw new ConfigError('exposed.port must not be the same as server.port')
}

/** The client secret is sent to the provider: plain HTTP is allowed only within this machine or in development. */
function checkIssuer({ idpIssuer, env }: Config): void {
  const refuse = (why: string) => new ConfigError(`IDP_ISSUER must be ${why}, not "${idpIssuer}"`)
  const url = URL.canParse(idpIssuer) ? new URL(idpIssuer) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw refuse('the address of an OpenID provider, such as https://accounts.google.com')
  if (url.search || url.hash || url.username || url.password)
    throw refuse('an address without query, fragment or password')
  if (url.protocol === 'http:' && env === 'production' && !isLoopbackHost(url.hostname))
    throw refuse('an address that begins with https://')
}

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

function isNetwork(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  if (more !== undefined || !isIP(address)) return false
  if (bits === undefined) return true
  return /^\d+$/.test(bits) && Number(bits) <= (isIP(address) === 6 ? 128 : 32)
}

function isOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase()
}
