import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, loadConfig } from '#kernel/config'
import { mailTarget } from '#kernel/mail/target'
import { settings } from '#kernel/settings'
import { closing } from '#test'
import { vendorSettings } from '../../../daemon/vendor-settings.ts'

const nowhere = { XDG_CONFIG_HOME: '/nonexistent', HOME: '/nonexistent' }
const load = (env: Record<string, string> = {}, flags: Record<string, string> = {}) =>
  loadConfig({ env: { ...nowhere, ...env }, flags })

function yaml(text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'muster-config-'))
  closing({ close: () => rmSync(dir, { recursive: true }) })
  const file = join(dir, 'musterd.yaml')
  writeFileSync(file, text)
  return file
}
const fromFile = (text: string, env: Record<string, string> = {}, flags: Record<string, string> = {}) =>
  loadConfig({ env: { ...nowhere, ...env }, flags, file: yaml(text) })

describe('precedence', () => {
  it('is flag, environment, file, default, and says which it was', () => {
    const text = 'server:\n  port: 1\n'
    const at = (env: Record<string, string>, flags: Record<string, string>) => {
      const { config, origins } = fromFile(text, env, flags)
      return [config.port, origins.port]
    }
    expect(at({ SVC_PORT: '2' }, { port: '3' })).toEqual([3, 'flag'])
    expect(at({ SVC_PORT: '2' }, {})).toEqual([2, 'environment'])
    expect(at({ SVC_PORT: '' }, {})).toEqual([1, 'file'])
    expect([load().config.port, load().origins.port]).toEqual([8080, 'default'])
  })

  it('finds the file where it is named or where it usually lies', () => {
    const file = yaml('server:\n  port: 5\n')
    expect(load({ SVC_CONFIG_FILE: file }).config.port).toBe(5)
    expect(load({}, { config: file }).file).toBe(file)
    expect(load().file).toBeNull()
    expect(() => load({ SVC_CONFIG_FILE: '/nonexistent/x.yaml' })).toThrow(/cannot be read/)
  })

  it('gives every setting a name of its own', () => {
    const all = [...Object.values(settings), ...vendorSettings]
    for (const key of ['path', 'env', 'flag'] as const) {
      const names = all.flatMap((it) => (key in it ? [(it as { flag?: string; path: string; env: string })[key]] : []))
      expect(new Set(names).size).toBe(names.length)
    }
  })
})

describe('the listener for exposed ports', () => {
  const away = { SVC_EXPOSED_HOST: '10.0.0.1', SVC_EXPOSED_URL: 'https://shown.example' }
  it('carries no tokens over a network in clear', () => {
    expect(() => load(away)).toThrow(/in clear/)
    expect(load({ ...away, SVC_TRUSTED_PROXY_CIDRS: '10.0.0.0/8' }).config.exposedHost).toBe('10.0.0.1')
  })
  it('is another than the server’s', () => {
    expect(() => load({ SVC_EXPOSED_HOST: '127.0.0.1', SVC_EXPOSED_PORT: '8080' })).toThrow(
      /must not be the same as server\.port/,
    )
    expect(load({ SVC_EXPOSED_HOST: '127.0.0.1' }).config).toMatchObject({ exposedPort: 8081 })
  })
})

describe('values', () => {
  it.each([
    ['SVC_PORT', '0', 'port', 0],
    ['SVC_CONTAINER_CPUS', '0.5', 'defaultCpus', 0.5],
    ['SVC_SHUTDOWN_TIMEOUT', '90', 'shutdownTimeout', 90],
    ['SVC_SHUTDOWN_TIMEOUT', '2m', 'shutdownTimeout', 120],
    ['SVC_BOOTSTRAP_WINDOW', '1.5h', 'bootstrapWindow', 5400],
    ['SVC_BOOTSTRAP_WINDOW', '500ms', 'bootstrapWindow', 0.5],
    ['SVC_ALLOW_PRIVATE_ENDPOINTS', '1', 'allowPrivateEndpoints', true],
    ['SVC_ALLOWED_HOSTS', ' a.example , ,b.example', 'allowedHosts', ['a.example', 'b.example']],
    ['SVC_HEALTH_ALIASES', 'old-server,older', 'healthAliases', ['old-server', 'older']],
    ['SVC_DATA_DIR', '/srv/muster', 'dataDir', '/srv/muster'],
    ['IDP_ISSUER', 'https://login.example/realms/team/', 'idpIssuer', 'https://login.example/realms/team/'],
    ['IDP_ISSUER', 'http://127.0.0.1:9000', 'idpIssuer', 'http://127.0.0.1:9000'],
    ['IDP_ISSUER', 'http://[::1]:9000/dex', 'idpIssuer', 'http://[::1]:9000/dex'],
  ] as const)('reads %s=%s', (env, text, name, value) => expect(load({ [env]: text }).config[name]).toEqual(value))

  it.each([
    ['SVC_PORT', '65536', /^SVC_PORT must be a whole number from 0 to 65535, not "65536"$/],
    ['SVC_PORT', '-1', /from 0/],
    ['SVC_PORT', '80.5', /a whole number/],
    ['SVC_PORT', '0x50', /a whole number/],
    ['SVC_PORT', '1e3', /a whole number/],
    ['SVC_PORT', ' ', /a whole number/],
    ['SVC_PORT', 'http', /^SVC_PORT must be a whole number, not "http"$/],
    ['SVC_SHUTDOWN_TIMEOUT', '5 minutes', /duration such as/],
    ['SVC_SHUTDOWN_TIMEOUT', '1h', /must be a duration from 1 to 300 seconds, not "1h"$/],
    ['SVC_BOOTSTRAP_WINDOW', '-1s', /duration such as/],
    ['SVC_ALLOW_PRIVATE_ENDPOINTS', 'yes', /true or false/],
    ['SVC_CONTAINER_PROVIDER', 'podman', /one of docker, process/],
    ['SVC_TRUSTED_PROXY_CIDRS', '10.0.0.0/33', /10\.0\.0\.0\/33/],
    ['SVC_TRUSTED_PROXY_CIDRS', 'proxy.example', /proxy\.example/],
    ['SVC_TRUSTED_PROXY_CIDRS', '10.0.0.0/8/8', /10\.0\.0\.0\/8\/8/],
    ['SVC_ALLOWED_ORIGINS', 'muster.example', /scheme and host/],
    ['SVC_ALLOWED_ORIGINS', 'https://muster.example/', /scheme and host/],
    ['SVC_ALLOWED_ORIGINS', 'null', /scheme and host/],
    ['SVC_HEALTH_ALIASES', 'Old', /must list names of a-z/],
    ['SVC_HEALTH_ALIASES', 'old/server', /must list names of a-z/],
    ['SVC_HEALTH_ALIASES', 'old,old', /a name twice/],
    ['SVC_PUBLIC_URL', 'muster.example', /http/],
    ['SVC_PUBLIC_URL', 'javascript:alert(1)', /http/],
    ['SVC_EXPOSED_URL', 'shown.example', /exposed\.url must be an address/],
    ['SVC_EXPOSED_URL', 'https://shown.example', /set exposed\.host too/],
    ['SVC_EXPOSED_HOST', '0.0.0.0', /set exposed\.url to/],
    ['IDP_ISSUER', 'accounts.google.com', /address of an OpenID provider/],
    ['IDP_ISSUER', 'ftp://login.example', /address of an OpenID provider/],
    ['IDP_ISSUER', 'https://login.example/?tenant=1', /without query/],
    ['IDP_ISSUER', 'https://me:secret@login.example', /without query, fragment or password/],
    ['IDP_ISSUER', 'http://login.example', /begins with https/],
  ])('refuses %s=%s and says what it takes', (env, text, words) => {
    expect(() => load({ [env]: text })).toThrow(ConfigError)
    expect(() => load({ [env]: text })).toThrow(words)
  })

  it.each([
    ['server:\n  port: true\n', /^server\.port must be a whole number, not true$/],
    ['server:\n  port: [80]\n', /a whole number/],
    ['server:\n  port: {}\n', null],
    ['server:\n  host: 5\n', /text, not 5/],
    ['server:\n  allowed_hosts: [1]\n', /list of texts/],
    ['server:\n  allowed_hosts: {a: b}\n', /unknown setting "server.allowed_hosts.a"/],
    ['server:\n  prot: 80\n', /unknown setting "server.prot"; did you mean "server.port"\?/],
    ['surprise: 1\n', /unknown setting "surprise"$/],
    ['server:\n', null],
    ['', null],
    ['- server\n', /must consist of sections/],
    ['just text', /must consist of sections/],
    ['server: [\n', /not valid YAML/],
    ['auth:\n  internal_token: secret: [\n', /not valid YAML: [^\n]* at line 2, column 19$/],
    ['auth:\n  internal_token: !x "secret\n', /^(?!.*secret).*not valid YAML/s],
    ['server:\n  port: 1\n  port: 2\n', /not valid YAML/],
    ['a: &a [x]\nb: [*a, *a]\n', /not valid YAML|unknown/],
  ])('reads the file %j', (text, words) => {
    const run = () => fromFile(text)
    if (words) expect(run).toThrow(words)
    else expect(run().config.port).toBe(8080)
  })

  it('never repeats a secret', () => {
    expect(() => fromFile('metrics:\n  token: [s3cret]\n')).toThrow(/metrics.token must be text/)
    expect(() => fromFile('metrics:\n  token: [s3cret]\n')).not.toThrow(/s3cret/)
  })
})

describe('together', () => {
  const tls = { SVC_TLS_CERT: '/c', SVC_TLS_KEY: '/k' }
  it.each([
    ['0.0.0.0', {}, false],
    ['::', {}, false],
    ['192.168.1.5', {}, false],
    ['muster.example', {}, false],
    ['0.0.0.0', tls, true],
    ['0.0.0.0', { SVC_TRUSTED_PROXY_CIDRS: '10.0.0.1' }, true],
    ['127.0.0.1', {}, true],
    ['127.8.8.8', {}, true],
    ['::1', {}, true],
    ['localhost', {}, true],
    ['127.0.0.1.evil.example', {}, false],
  ])('listens on %s with %j: %s', (host, env, allowed) => {
    const run = () => load({ SVC_HOST: host, ...env })
    if (allowed) expect(run().config.host).toBe(host)
    else expect(run).toThrow(/in clear/)
  })

  it('wants both halves of TLS', () => expect(() => load({ SVC_TLS_CERT: '/c' })).toThrow(/belong together/))
  it('keeps the limits on in production', () => {
    expect(() => load({ SVC_RATELIMIT_DISABLED: 'true' })).toThrow(/refused in production/)
    expect(load({ SVC_RATELIMIT_DISABLED: 'true', SVC_ENV: 'test' }).config.rateLimitDisabled).toBe(true)
  })
  it('makes the data directory absolute', () =>
    expect(load({ SVC_DATA_DIR: 'here' }).config.dataDir).toBe(join(process.cwd(), 'here')))
})

describe('mail', () => {
  const from = { MAILER_FROM: 'Muster <muster@example.com>' }

  it.each([
    [{}, null],
    [
      { ...from, MAILER_API_KEY: 'k' },
      { kind: 'http', url: 'https://api.resend.com/emails', key: 'k' },
    ],
    [
      { ...from, MAILER_API_KEY: 'k', MAILER_API_URL: 'http://localhost:9/m' },
      { kind: 'http', url: 'http://localhost:9/m', key: 'k' },
    ],
    [
      { ...from, SMTP_URL: 'smtp://mail.example.com' },
      { kind: 'smtp', port: 587, secure: false, encryption: 'required', auth: null },
    ],
    [
      { ...from, SMTP_URL: 'smtps://u%40x:p%25@mail.example.com/' },
      { host: 'mail.example.com', port: 465, secure: true, auth: { user: 'u@x', pass: 'p%' } },
    ],
    [
      { ...from, SMTP_URL: 'smtp://mail.example.com:25?tls=optional' },
      { port: 25, encryption: 'optional' },
    ],
    [{ ...from, SMTP_URL: 'smtp://10.0.0.1?tls=never' }, { encryption: 'never' }],
    [{ ...from, SMTP_URL: 'smtp://127.0.0.1:25' }, { encryption: 'never' }],
    [
      { ...from, SMTP_URL: 'smtp://[::1]' },
      { host: '::1', encryption: 'never' },
    ],
    [{ ...from, SMTP_URL: 'smtp://localhost?tls=required' }, { encryption: 'required' }],
  ])('reads %j', (env, target) => {
    const found = mailTarget(load(env as Record<string, string>).config)
    if (target) expect(found).toMatchObject(target)
    else expect(found).toBeNull()
  })

  it.each([
    [{ MAILER_API_KEY: 'k' }, /MAILER_API_KEY needs MAILER_FROM/],
    [{ MAILER_API_KEY: 'k', MAILER_FROM: '   ' }, /needs MAILER_FROM/],
    [{ SMTP_URL: 'smtp://h' }, /SMTP_URL needs MAILER_FROM/],
    [from, /nothing to send mail with/],
    [{ MAILER_API_URL: 'https://x.example' }, /needs MAILER_API_KEY/],
    [{ ...from, MAILER_API_KEY: 'k', SMTP_URL: 'smtp://h' }, /set one of them/],
    [{ ...from, SMTP_URL: 'smtp://h', MAILER_API_URL: 'https://x.example' }, /belongs to MAILER_API_KEY/],
    [{ MAILER_FROM: 'Muster', MAILER_API_KEY: 'k' }, /MAILER_FROM must be an address/],
    [{ MAILER_FROM: 'a@b.c, d@e.f', MAILER_API_KEY: 'k' }, /MAILER_FROM must be an address/],
    [{ MAILER_FROM: 'A\r\nBcc: x@y.z <a@b.c>', MAILER_API_KEY: 'k' }, /MAILER_FROM must be an address/],
    [{ ...from, MAILER_API_KEY: 'two words' }, /one word/],
    [{ ...from, MAILER_API_KEY: 'k', MAILER_API_URL: 'http://mail.example.com' }, /in clear/],
    [{ ...from, MAILER_API_KEY: 'k', MAILER_API_URL: 'ftp://mail.example.com' }, /https/],
    [{ ...from, MAILER_API_KEY: 'k', MAILER_API_URL: 'https://u:p@mail.example.com' }, /without a user name/],
    [{ ...from, SMTP_URL: 'mail.example.com:25' }, /must look like/],
    [{ ...from, SMTP_URL: 'https://mail.example.com' }, /must look like/],
    [{ ...from, SMTP_URL: 'smtp://' }, /must look like/],
    [{ ...from, SMTP_URL: 'smtp://h/path' }, /must look like/],
    [{ ...from, SMTP_URL: 'smtp://h?pool=true' }, /unknown option "pool"/],
    [{ ...from, SMTP_URL: 'smtp://h?tls=yes' }, /required, optional, never/],
    [{ ...from, SMTP_URL: 'smtps://h?tls=never' }, /always encrypted/],
    [{ ...from, SMTP_URL: 'smtp://u:100%@h' }, /%25/],
  ])('refuses %j', (env, words) => {
    expect(() => load(env as Record<string, string>)).toThrow(ConfigError)
    expect(() => load(env as Record<string, string>)).toThrow(words)
  })

  it('repeats no password', () => {
    let message = ''
    try {
      load({ ...from, SMTP_URL: 'smtp://u:hunter2@h/x' })
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(/must look like/)
    expect(message).not.toContain('hunter2')
  })
})
