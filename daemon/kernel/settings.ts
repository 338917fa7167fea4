type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'duration'

export interface Setting {
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
  containerDns: setting({
    path: 'container.dns',
    env: 'SVC_CONTAINER_DNS',
    kind: 'list',
    fallback: [],
    summary: 'Name servers of the crews, address or address:port; those of this machine when empty',
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
