// A table with a paragraph for each setting: it is long because there are many.

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

/** A text that an adapter or a provider lets the operator set, never a secret: `config.vendor` has it by its path. */
export type VendorSetting = Pick<Setting, 'path' | 'env' | 'summary'> & { kind: 'string'; fallback: string }

const setting = <const S extends Setting>(it: S): S => it

/**
 * Every setting of the daemon but those of vendors. Flags win over the environment, the environment over the file, the
 * file over these
 * defaults.
 */
export const settings = {
  host: setting({
    path: 'server.host',
    env: 'SVC_HOST',
    flag: 'host',
    kind: 'string',
    fallback: '127.0.0.1',
    summary: 'Address to listen on',
  }),
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
  tlsCert: setting({
    path: 'server.tls_cert',
    env: 'SVC_TLS_CERT',
    kind: 'string',
    fallback: '',
    summary: 'PEM file of the certificate chain',
  }),
  tlsKey: setting({
    path: 'server.tls_key',
    env: 'SVC_TLS_KEY',
    kind: 'string',
    fallback: '',
    summary: 'PEM file of the private key',
  }),
  shutdownTimeout: setting({
    path: 'server.shutdown_timeout',
    env: 'SVC_SHUTDOWN_TIMEOUT',
    kind: 'duration',
    fallback: 10,
    min: 1,
    max: 300,
    summary: 'Longest drain at shutdown',
  }),
  headerTimeout: setting({
    path: 'server.header_timeout',
    env: 'SVC_HEADER_TIMEOUT',
    kind: 'duration',
    fallback: 20,
    min: 1,
    max: 300,
    summary: 'How long a client may take over a TLS handshake, and over the head of a request',
  }),
  healthAliases: setting({
    path: 'server.health_aliases',
    env: 'SVC_HEALTH_ALIASES',
    kind: 'list',
    fallback: [],
    summary: 'Other names under which /api/v1/musterd answers, for clients that were made for another server',
  }),
  publicUrl: setting({
    path: 'server.public_url',
    env: 'SVC_PUBLIC_URL',
    kind: 'string',
    fallback: '',
    summary: 'Address that users and browsers see',
  }),
  exposedHost: setting({
    path: 'exposed.host',
    env: 'SVC_EXPOSED_HOST',
    kind: 'string',
    fallback: '',
    summary: 'Address of a listener of its own for exposed ports; with the server when empty',
  }),
  exposedPort: setting({
    path: 'exposed.port',
    env: 'SVC_EXPOSED_PORT',
    kind: 'integer',
    fallback: 8081,
    min: 0,
    max: 65535,
    summary: 'Port of that listener; 0 picks a free one',
  }),
  exposedUrl: setting({
    path: 'exposed.url',
    env: 'SVC_EXPOSED_URL',
    kind: 'string',
    fallback: '',
    summary: 'Address of that listener that browsers see; its own when empty',
  }),
  allowedOrigins: setting({
    path: 'server.allowed_origins',
    env: 'SVC_ALLOWED_ORIGINS',
    kind: 'list',
    fallback: [],
    summary: 'Further browser origins accepted',
  }),
  allowedHosts: setting({
    path: 'server.allowed_hosts',
    env: 'SVC_ALLOWED_HOSTS',
    kind: 'list',
    fallback: [],
    summary: 'Further Host names accepted',
  }),
  trustedProxies: setting({
    path: 'server.trusted_proxies',
    env: 'SVC_TRUSTED_PROXY_CIDRS',
    kind: 'list',
    fallback: [],
    summary: 'Proxies whose forwarding headers are believed',
  }),
  dataDir: setting({
    path: 'data_dir',
    env: 'SVC_DATA_DIR',
    flag: 'data-dir',
    kind: 'string',
    fallback: '',
    summary: 'Folder that holds everything stored',
  }),
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
  crewDiskMb: setting({
    path: 'container.disk_mb',
    env: 'SVC_CREW_DISK_MB',
    kind: 'integer',
    fallback: 20480,
    min: 0,
    max: 1073741824,
    summary: "Most that a crew's data may take on the disk; 0 for no limit",
  }),
  diskReserveMb: setting({
    path: 'server.disk_reserve_mb',
    env: 'SVC_DISK_RESERVE_MB',
    kind: 'integer',
    fallback: 512,
    min: 0,
    max: 1073741824,
    summary:
      'Room on the disk that crews must leave to the daemon, a twentieth of the disk at most; 0 to watch nothing',
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
  allowSignup: setting({
    path: 'auth.allow_signup',
    env: 'SVC_ALLOW_SIGNUP',
    kind: 'boolean',
    fallback: false,
    summary: 'Anyone may make an account of their own',
  }),
  idpIssuer: setting({
    path: 'idp.issuer',
    env: 'IDP_ISSUER',
    kind: 'string',
    fallback: 'https://accounts.google.com',
    summary: 'Identity provider (OpenID Connect) to sign in with',
  }),
  idpClientId: setting({
    path: 'idp.client_id',
    env: 'IDP_CLIENT_ID',
    kind: 'string',
    fallback: '',
    summary: 'What that provider knows this server as',
  }),
  idpClientSecret: setting({
    path: 'idp.client_secret',
    env: 'IDP_CLIENT_SECRET',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Secret of this server at that provider',
  }),
  mailerFrom: setting({
    path: 'mail.from',
    env: 'MAILER_FROM',
    kind: 'string',
    fallback: '',
    summary: 'Sender of mail, as Muster <muster@example.com>',
  }),
  mailerApiKey: setting({
    path: 'mail.api_key',
    env: 'MAILER_API_KEY',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Key of the HTTP service that sends mail',
  }),
  mailerApiUrl: setting({
    path: 'mail.api_url',
    env: 'MAILER_API_URL',
    kind: 'string',
    fallback: '',
    summary: 'Address of that service; https://api.resend.com/emails when empty',
  }),
  smtpUrl: setting({
    path: 'mail.smtp_url',
    env: 'SMTP_URL',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Mail server instead, as smtps://user:password@mail.example.com',
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
  streamsPerUser: setting({
    path: 'limits.streams_per_user',
    env: 'SVC_STREAMS_PER_USER',
    kind: 'integer',
    fallback: 1000,
    min: 1,
    max: 1000000,
    summary: 'Sockets and streams that one user may have open',
  }),
  lockoutThreshold: setting({
    path: 'limits.lockout_threshold',
    env: 'SVC_LOGIN_LOCKOUT_THRESHOLD',
    kind: 'integer',
    fallback: 10,
    min: 1,
    max: 1000,
    summary: 'Wrong passwords in a row that lock an account',
  }),
  lockoutDuration: setting({
    path: 'limits.lockout_duration',
    env: 'SVC_LOGIN_LOCKOUT_DURATION',
    kind: 'duration',
    fallback: 300,
    min: 1,
    max: 86400,
    summary: 'How long a locked account stays locked',
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
  sessionSecret: setting({
    path: 'auth.jwt_secret',
    env: 'SVC_JWT_SECRET',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Secret of browser sessions, 32 characters or more; made from the encryption key when absent',
  }),
  forceSecureCookies: setting({
    path: 'auth.force_secure_cookies',
    env: 'SVC_FORCE_SECURE_COOKIES',
    kind: 'boolean',
    fallback: false,
    summary: 'Cookies as on HTTPS, whatever the request looks like',
  }),
  internalToken: setting({
    path: 'auth.internal_token',
    env: 'SVC_INTERNAL_TOKEN',
    kind: 'string',
    fallback: '',
    secret: true,
    summary: 'Master of the internal tokens, 32 characters or more; made from the encryption key when absent',
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

type SecretName = {
  [N in keyof typeof settings]: (typeof settings)[N] extends { secret: true } ? N : never
}[keyof typeof settings]

/** Settings whose value nobody is shown. */
export const secretSettings = (Object.keys(settings) as (keyof typeof settings)[]).filter(
  (name): name is SecretName => 'secret' in settings[name],
)
