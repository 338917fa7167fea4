import { describe, expect, it } from 'vitest'
import { loadConfig } from '#kernel/config'
import { createOriginRules } from '#kernel/http/origin'

const originRules = (env: Record<string, string> = {}) =>
  createOriginRules(loadConfig({ env: { XDG_CONFIG_HOME: '/nonexistent', ...env } }).config)

describe('acceptsOrigin', () => {
  const at = originRules({ SVC_ALLOWED_ORIGINS: 'https://console.example' })
  const host = 'muster.example:8080'
  it.each([
    [{}, false, true],
    [{ origin: 'http://muster.example:8080' }, false, true],
    [{ origin: 'HTTP://MUSTER.example:8080' }, false, true],
    [{ origin: 'https://muster.example:8080' }, false, false],
    [{ origin: 'https://muster.example:8080' }, true, true],
    [{ origin: 'http://muster.example' }, false, false],
    [{ origin: 'http://muster.example:8080.evil.example' }, false, false],
    [{ origin: 'http://evil.example' }, false, false],
    [{ origin: 'https://console.example' }, false, true],
    [{ origin: 'https://CONSOLE.example' }, false, true],
    [{ origin: 'http://console.example' }, false, false],
    [{ origin: 'null' }, false, false],
    [{ origin: '' }, false, false],
    [{ referer: 'http://muster.example:8080/page?x=1' }, false, true],
    [{ referer: 'http://evil.example/http://muster.example:8080' }, false, false],
    [{ referer: 'nonsense' }, false, false],
    [{ referer: 'data:text/html,x' }, false, false],
    [{ origin: 'http://evil.example', referer: 'http://muster.example:8080/' }, false, false],
  ])('%j (secure %s): %s', (headers, secure, accepted) =>
    expect(at.acceptsOrigin({ host, ...headers }, secure)).toBe(accepted),
  )

  it('never accepts "null"', () => {
    const listed = createOriginRules({
      ...loadConfig({ env: { XDG_CONFIG_HOME: '/nonexistent' } }).config,
      allowedOrigins: ['null'],
    })
    expect(listed.acceptsOrigin({ host, origin: 'null' }, false)).toBe(false)
  })
})

describe('acceptsSocketOrigin', () => {
  const at = originRules({ SVC_ALLOWED_ORIGINS: 'https://console.example' })
  it.each([
    [{ host: 'muster.example:8080' }, true],
    [{ host: 'muster.example:8080', origin: 'https://muster.example' }, true],
    [{ host: 'muster.example', origin: 'https://console.example' }, true],
    [{ host: 'muster.example', origin: 'http://localhost:3000' }, false],
    [{ host: 'muster.example', origin: 'null' }, false],
    [{ host: 'muster.example', origin: 'http://evil.example' }, false],
    [{ origin: 'http://muster.example' }, false],
  ])('%j: %s', (headers, accepted) => expect(at.acceptsSocketOrigin(headers)).toBe(accepted))
  it.each([
    ['http://localhost:3000', true],
    ['http://127.0.0.1:3000', true],
    ['http://evil.example', false],
    ['http://[::1]:3000', false],
  ])('lets local pages in where things are developed: %s, %s', (origin, accepted) =>
    expect(originRules({ SVC_ENV: 'development' }).acceptsSocketOrigin({ host: 'x', origin })).toBe(accepted),
  )
})

describe('clientIp', () => {
  const local = originRules()
  const behind = originRules({ SVC_TRUSTED_PROXY_CIDRS: '10.0.0.0/8,2001:db8::/32' })
  it.each([
    ['nobody in between', local, '203.0.113.9', {}, '203.0.113.9'],
    ['a stranger who claims to forward', local, '203.0.113.9', { 'x-forwarded-for': '198.51.100.1' }, '203.0.113.9'],
    ['a stranger with a real-ip header', local, '203.0.113.9', { 'x-real-ip': '198.51.100.1' }, '203.0.113.9'],
    ['the loopback proxy', local, '127.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    ['the loopback proxy over IPv6', local, '::ffff:127.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
    [
      'only the last hop is the word of the proxy',
      local,
      '127.0.0.1',
      { 'x-forwarded-for': '1.1.1.1, 198.51.100.1' },
      '198.51.100.1',
    ],
    [
      'hops that are trusted are passed',
      behind,
      '10.0.0.1',
      { 'x-forwarded-for': '1.1.1.1, 198.51.100.1, 10.0.0.7, 2001:db8::7' },
      '198.51.100.1',
    ],
    ['all hops trusted', behind, '10.0.0.1', { 'x-forwarded-for': '10.0.0.9, 10.0.0.7' }, '10.0.0.9'],
    ['hops with ports', local, '127.0.0.1', { 'x-forwarded-for': '1.1.1.1, 198.51.100.1:4711' }, '198.51.100.1'],
    ['IPv6 hops with ports', local, '127.0.0.1', { 'x-forwarded-for': '1.1.1.1, [2001:db8::5]:4711' }, '2001:db8::5'],
    ['a last hop that cannot be read', local, '127.0.0.1', { 'x-forwarded-for': '1.1.1.1, unknown' }, '127.0.0.1'],
    ['nothing at all in the header', local, '127.0.0.1', { 'x-forwarded-for': ' , ' }, '127.0.0.1'],
    ['the header given twice', local, '127.0.0.1', { 'x-forwarded-for': ['1.1.1.1', '198.51.100.1'] }, '198.51.100.1'],
    ['the real-ip header alone', local, '127.0.0.1', { 'x-real-ip': '198.51.100.1' }, '198.51.100.1'],
    ['both headers', local, '127.0.0.1', { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '1.1.1.1' }, '198.51.100.1'],
    ['a real-ip header that is no address', local, '127.0.0.1', { 'x-real-ip': 'x' }, '127.0.0.1'],
    [
      'loopback is no proxy when others are named',
      behind,
      '127.0.0.1',
      { 'x-forwarded-for': '198.51.100.1' },
      '127.0.0.1',
    ],
    ['the socket of this machine', local, undefined, { 'x-forwarded-for': '198.51.100.1' }, 'local'],
  ] as const)('%s', (_, at, peer, headers, ip) =>
    expect(at.clientIp(peer, headers as Parameters<typeof at.clientIp>[1])).toBe(ip),
  )
})

describe('isSecure', () => {
  const at = originRules()
  it.each([
    ['203.0.113.9', {}, true, true],
    ['203.0.113.9', { 'x-forwarded-proto': 'https' }, false, false],
    ['127.0.0.1', { 'x-forwarded-proto': 'https' }, false, true],
    ['127.0.0.1', { 'x-forwarded-proto': 'https, http' }, false, false],
    ['127.0.0.1', {}, false, false],
  ])('%s %j', (peer, headers, tls, secure) => expect(at.isSecure(peer, headers, tls)).toBe(secure))
})

describe('acceptsHost', () => {
  const at = originRules({ SVC_PUBLIC_URL: 'https://Muster.example/app', SVC_ALLOWED_HOSTS: 'other.example' })
  it.each([
    ['muster.example', true],
    ['OTHER.example:8443', true],
    ['localhost', true],
    ['[::1]:8080', true],
    ['10.1.2.3:80', true],
    ['evil.example', false],
    ['[::1', false],
    ['[::1].evil.example', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (host, accepted) => expect(at.acceptsHost(host)).toBe(accepted))
})

describe('a trusted proxy', () => {
  const { config } = loadConfig({ env: { XDG_CONFIG_HOME: '/nonexistent' } })
  const at = createOriginRules({
    ...config,
    trustedProxies: ['10.0.0.1', '2001:db8::1', '192.168.0.0/30', 'fd00::/16'],
  })
  it.each([
    ['10.0.0.1', true],
    ['::ffff:10.0.0.1', true],
    ['10.0.0.2', false],
    ['2001:db8::1', true],
    ['2001:db8::2', false],
    ['192.168.0.3', true],
    ['192.168.0.4', false],
    ['fd00::5', true],
    ['fd01::5', false],
    ['127.0.0.1', false],
    ['', false],
    ['proxy', false],
  ])('is an address or a network: %s is %s, again and again', (peer, trusted) => {
    const secure = () => at.isSecure(peer, { 'x-forwarded-proto': 'https' }, false)
    expect([secure(), secure()]).toEqual([trusted, trusted])
  })
})
