import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'duration'

interface Setting {
  /** Where it stands in the YAML file. */
  path: string
  env: string
  flag?: string
  kind: Kind
  fallback: string | number | boolean | readonly string[] | null
  choices?: readonly string[]
  min?: number
  max?: number
  secret?: true
  summary: string
}

const setting = <const S extends Setting>(it: S): S => it

/** Every setting of the daemon. Flags win over the environment, the environment over the file, the file over these defaults. */
export const settings = {
  host: setting({ path: 'server.host', env: 'SVC_HOST', flag: 'host', kind: 'string', fallback: '127.0.0.1', summary: 'Address to listen on' }),
  port: setting({
    path: 'server.port',
    env: 'SVC_PORT',
    flag: 'port',
    kind: 'integer',
    fallback: 8080,
    min: 0,
    max: 65535,
    summary: 'Port; 0 picks a free one',
  }),
  tlsCert: setting({ path: 'server.tls_cert', env: 'SVC_TLS_CERT', kind: 'string', fallback: '', summary: 'PEM file of the certificate chain' }),
  tlsKey: setting({ path: 'server.tls_key', env: 'SVC_TLS_KEY', kind: 'string', fallback: '', summary: 'PEM file of the private key' }),
  shutdownTimeout: setting({
    path: 'server.shutdown_timeout',
    env: 'SVC_SHUTDOWN_TIMEOUT',
    kind: 'duration',
    fallback: 10,
    min: 1,
    max: 300,
    summary: 'Longest drain at shutdown',
  }),
  publicUrl: setting({ path: 'server.public_url', env: 'SVC_PUBLIC_URL', kind: 'string', fallback: '', summary: 'Address that users and browsers see' }),
  allowedOrigins: setting({
    path: 'server.allowed_origins',
    env: 'SVC_ALLOWED_ORIGINS',
    kind: 'list',
    fallback: [],
    summary: 'Further browser origins accepted',
  }),
  allowedHosts: setting({ path: 'server.allowed_hosts', env: 'SVC_ALLOWED_HOSTS', kind: 'list', fallback: [], summary: 'Further Host names accepted' }),
  trustedProxies: setting({
    path: 'server.trusted_proxies',
    env: 'SVC_TRUSTED_PROXY_CIDRS',
    kind: 'list',
    fallback: [],
    summary: 'Proxies whose forwarding headers are believed',
  }),
  dataDir: setting({ path: 'data_dir', env: 'SVC_DATA_DIR', flag: 'data-dir', kind: 'string', fallback: '', summary: 'Folder that holds everything stored' }),
  containerProvider: setting({
    path: 'container.provider',
    env: 'SVC_CONTAINER_PROVIDER',
    flag: 'container-provider',
    kind: 'string',
    fallback: 'docker',
    choices: ['docker', 'process'],
    summary: 'Where agents run',
  }),
  runtimeImage: setting({
    path: 'container.runtime_image',
    env: 'SVC_RUNTIME_IMAGE',
    kind: 'string',
    fallback: 'muster/crew:local',
    summary: 'Image of crew containers',
  }),
  sidecarImage: setting({
    path: 'container.sidecar_image',
    env: 'SVC_SIDECAR_IMAGE',
    kind: 'string',
    fallback: 'muster/sidecar:local',
    summary: 'Image of sidecar containers',
  }),
  containerPrefix: setting({
    path: 'container.container_prefix',
    env: 'SVC_CONTAINER_PREFIX',
    kind: 'string',
    fallback: 'muster',
    summary: 'Start of every container name',
  }),
  defaultMemoryMb: setting({
    path: 'container.default_memory_mb',
    env: 'SVC_CONTAINER_MEMORY_MB',
    kind: 'integer',
    fallback: 4096,
    min: 6,
    max: 262144,
    summary: 'Memory of a crew that names none',
  }),
  defaultCpus: setting({
    path: 'container.default_cpus',
    env: 'SVC_CONTAINER_CPUS',
    kind: 'number',
    fallback: 2,
    min: 0.01,
    max: 512,
    summary: 'Processors of a crew that names none',
  }),
  maxConcurrentRuns: setting({
    path: 'orchestrator.max_concurrent_runs',
    env: 'SVC_MAX_CONCURRENT_RUNS',
    kind: 'integer',
    fallback: 8,
    min: 1,
    max: 1000,
    summary: 'Runs at the same time',
  }),
  allowPrivateEndpoints: setting({
    path: 'container.allow_private_endpoints',
    env: 'SVC_ALLOW_PRIVATE_ENDPOINTS',
    kind: 'boolean',
    fallback: false,
    summary: 'Crews may be allowed to reach private addresses',
  }),
  anthropicUrl: setting({
    path: 'models.anthropic_url',
    env: 'SVC_ANTHROPIC_URL',
    kind: 'string',
    fallback: 'https://api.anthropic.com',
    summary: 'Where model calls to Anthropic go',
  }),
  openaiUrl: setting({
    path: 'models.openai_url',
    env: 'SVC_OPENAI_URL',
    kind: 'string',
    fallback: 'https://api.openai.com',
    summary: 'Where model calls to OpenAI go',
  }),
  googleUrl: setting({
    path: 'models.google_url',
    env: 'SVC_GOOGLE_URL',
    kind: 'string',
    fallback: 'https://generativelanguage.googleapis.com',
    summary: 'Where model calls to Google go',
  }),
  claudeCommand: setting({
    path: 'process.claude_command',
    env: 'SVC_CLAUDE_COMMAND',
    kind: 'string',
    fallback: 'claude',
    summary: 'Program of CLAUDE_CODE agents in the process runtime',
  }),
  logLevel: setting({
    path: 'logging.level',
    env: 'SVC_LOG_LEVEL',
    flag: 'log-level',
    kind: 'string',
    fallback: 'info',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    summary: 'Least severe line logged',
  }),
  logFormat: setting({
    path: 'logging.format',
    env: 'SVC_LOG_FORMAT',
    kind: 'string',
    fallback: 'json',
    choices: ['json', 'text'],
    summary: 'Form of log lines',
  }),
  bootstrapWindow: setting({
    path: 'auth.bootstrap_window',
    env: 'SVC_BOOTSTRAP_WINDOW',
    kind: 'duration',
    fallback: 0,
    min: 0,
    summary: 'How long after start the first user may be made; 0 for ever',
  }),
  authPerMinute: setting({
    path: 'limits.auth_per_minute',
    env: 'SVC_RATELIMIT_AUTH_PER_MIN',
    kind: 'integer',
    fallback: 10,
    min: 1,
    max: 100000,
    summary: 'Sign-in attempts a minute and address',
  }),
  apiPerMinute: setting({
    path: 'limits.api_per_minute',
    env: 'SVC_RATELIMIT_API_PER_MIN',
    kind: 'integer',
    fallback: 1200,
    min: 1,
    max: 10000000,
    summary: 'Other requests a minute and address',
  }),
  rateLimitDisabled: setting({
    path: 'limits.disabled',
    env: 'SVC_RATELIMIT_DISABLED',
    kind: 'boolean',
    fallback: false,
    summary: 'No rate limits; refused when SVC_ENV is production',
  }),
  env: setting({
    path: 'env',
    env: 'SVC_ENV',
    kind: 'string',
    fallback: 'production',
    choices: ['production', 'development', 'test'],
    summary: 'What this installation is for',
  }),
  metricsToken: setting({
    path: 'metrics.token',
    env: 'SVC_METRICS_TOKEN',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Bearer token for /metrics from other machines',
  }),
  encryptionKey: setting({
    path: 'auth.encryption_key',
    env: 'ENCRYPTION_KEY',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Key of stored secrets, 64 hexadecimal characters; made once when absent',
  }),
  adminTokenKey: setting({
    path: 'auth.admin_token_hmac_key',
    env: 'SVC_ADMIN_TOKEN_HMAC_KEY',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Key of administrative tokens, hexadecimal, 32 bytes or more',
  }),
} as const satisfies Record<string, Setting>

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

export type Config = { readonly [N in Name]: Value<(typeof settings)[N]> }
export type Origin = 'flag' | 'environment' | 'file' | 'default'

export interface LoadedConfig {
  config: Config
  origins: Record<Name, Origin>
  file: string | null
}

/** A setting that cannot be used; the message names it, where it came from and what it takes. */
export class ConfigError extends Error {}

interface Sources {
  flags?: Record<string, string | undefined>
  env?: NodeJS.ProcessEnv
  /** Path of the YAML file; `SVC_CONFIG`, else `$XDG_CONFIG_HOME/muster/musterd.yaml` when that exists. */
  file?: string
}

export function loadConfig({ flags = {}, env = process.env, file }: Sources = {}): LoadedConfig {
  const named = file ?? flags['config'] ?? env['SVC_CONFIG_FILE']
  const path = named ?? join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'muster', 'musterd.yaml')
  const inFile = readSettings(path, named !== undefined)
  const config: Record<string, unknown> = {}
  const origins = {} as Record<Name, Origin>
  for (const [name, it] of Object.entries(settings) as [Name, Setting][]) {
    const [origin, raw] = pick(it, flags, env, inFile?.get(it.path))
    origins[name] = origin
    config[name] = origin === 'default' ? it.fallback : read(it, raw, origin)
  }
  config['dataDir'] = resolve((config['dataDir'] as string) || join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'muster'))
  const done = config as Config
  checkTogether(done)
  return { config: done, origins, file: inFile ? path : null }
}

function pick(it: Setting, flags: Record<string, string | undefined>, env: NodeJS.ProcessEnv, inFile: unknown): [Origin, unknown] {
  const flag = it.flag === undefined ? undefined : flags[it.flag]
  if (flag !== undefined) return ['flag', flag]
  if (env[it.env] !== undefined && env[it.env] !== '') return ['environment', env[it.env]]
  if (inFile !== undefined && inFile !== null) return ['file', inFile]
  return ['default', undefined]
}

function readSettings(path: string, required: boolean): Map<string, unknown> | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new ConfigError(`The configuration file ${path} cannot be read: ${(error as Error).message}`)
  }
  let document: unknown
  try {
    document = parse(text, { maxAliasCount: 0 }) ?? {}
  } catch (error) {
    throw new ConfigError(`The configuration file ${path} is not valid YAML: ${(error as Error).message}`)
  }
  const found = new Map<string, unknown>()
  flatten(document, '', found)
  const known = Object.values(settings).map((it) => it.path)
  for (const key of found.keys()) {
    if (known.includes(key as (typeof known)[number])) continue
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

function hint(key: string, known: readonly string[]): string {
  const near = known.map((name) => ({ name, distance: distance(key, name) })).sort((a, b) => a.distance - b.distance)[0]!
  return near.distance <= 4 ? `; did you mean "${near.name}"?` : ''
}

/** Edits (insert, delete, replace) that turn one word into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (char === other ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}

function read(it: Setting, raw: unknown, origin: Origin): unknown {
  const name = origin === 'environment' ? it.env : origin === 'flag' ? `--${it.flag}` : it.path
  const shown = it.secret ? 'its value' : JSON.stringify(raw)
  const refuse = (wanted: string) => new ConfigError(`${name} must be ${wanted}, not ${shown}`)
  if (it.kind === 'list') {
    const list = Array.isArray(raw) ? raw.map(String) : String(raw).split(',')
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
  const number = it.kind === 'duration' ? seconds(raw) : typeof raw === 'string' && raw.trim() === '' ? Number.NaN : Number(raw)
  if (!Number.isFinite(number) || (it.kind === 'integer' && !Number.isInteger(number)))
    throw refuse(it.kind === 'duration' ? 'a duration such as 10s, 5m or 2h' : `a ${it.kind}`)
  if (number < (it.min ?? -Infinity) || number > (it.max ?? Infinity)) throw refuse(`from ${it.min ?? 'any'} to ${it.max ?? 'any'}`)
  return number
}

function seconds(raw: unknown): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(String(raw).trim())
  if (!match) return Number.NaN
  return Number(match[1]) * { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 }[(match[2] ?? 's') as 's']
}

const loopback = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

function checkTogether(config: Config): void {
  if (Boolean(config.tlsCert) !== Boolean(config.tlsKey)) throw new ConfigError('server.tls_cert and server.tls_key belong together: set both or neither')
  if (!loopback(config.host) && !config.tlsCert && !config.trustedProxies.length) {
    throw new ConfigError(
      `Listening on ${config.host} would carry tokens over the network in clear. Set SVC_TLS_CERT and SVC_TLS_KEY, or name the TLS proxy in front in SVC_TRUSTED_PROXY_CIDRS, or listen on 127.0.0.1`,
    )
  }
  if (config.rateLimitDisabled && config.env === 'production') throw new ConfigError('SVC_RATELIMIT_DISABLED is refused in production; set SVC_ENV=development')
}
