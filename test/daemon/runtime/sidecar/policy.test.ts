import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hello } from '#runtime/sidecar/client-hello'
import { canonicalHost, compilePolicy, defaultHosts, parseAuthority } from '#runtime/sidecar/policy'

const restricted = (...allowedDomains: string[]) =>
  compilePolicy({ mode: 'restricted', allowedDomains, allowPrivateEndpoints: false })

describe('canonicalHost', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['example.com.', 'example.com'],
    ['a_b.example', 'a_b.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example.', 'xn--bcher-kva.example'],
    ['１２７.０.０.１', '127.0.0.1'],
    ['10.1.2.3', '10.1.2.3'],
    [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
    ['[::1]', '0:0:0:0:0:0:0:1'],
    ['::FFFF:1.2.3.4', '0:0:0:0:0:ffff:102:304'],
  ])('%s is %s', (text, host) => expect(canonicalHost(text)).toBe(host))

  it.each([
    '',
    '.',
    '..',
    'a..b',
    '.a',
    'a..',
    '-a.example',
    'a-.example',
    'a b',
    'a/b',
    'a\\b',
    'a@b',
    'a#b',
    'a?b',
    'a%2eb',
    'a\0b',
    'a\tb',
    'a,b',
    '*.a',
    '*',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '127.1',
    '1.2.3.4.5',
    '256.1.1.1',
    'example.0x7f',
    'example.1',
    '127.0.0.1.0',
    '[fe80::1%eth0]',
    '[::1',
    '::1]',
    'x::1]',
    '[]',
    '[1.2.3.4]x',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(126)}aa`,
  ])('refuses %j', (text) => expect(canonicalHost(text)).toBeNull())

  it('is its own canonical form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string(), fc.string({ unit: 'binary' })), (text) => {
        const host = canonicalHost(text)
        if (host === null) return
        expect(host).toMatch(/^[a-z0-9_.:-]+$/)
        expect(canonicalHost(host)).toBe(host)
      }),
    )
  })
})

describe('parseAuthority', () => {
  it.each([
    ['example.com:443', undefined, 'example.com', 443],
    ['EXAMPLE.com.:8443', undefined, 'example.com', 8443],
    ['example.com', 80, 'example.com', 80],
    ['[2606:4700::1111]:443', undefined, '2606:4700:0:0:0:0:0:1111', 443],
    ['[::ffff:127.0.0.1]:1', undefined, '0:0:0:0:0:ffff:7f00:1', 1],
    ['1.2.3.4:65535', undefined, '1.2.3.4', 65535],
  ])('%s', (text, defaultPort, host, port) => expect(parseAuthority(text, defaultPort)).toEqual({ host, port }))

  it.each([
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:99999',
    'example.com:-1',
    'example.com:+1',
    'example.com: 1',
    'example.com:1 ',
    'example.com:0x1',
    'example.com:1:2',
    'user@example.com:443',
    'user:pass@example.com:443',
    'allowed.example@evil.example:443',
    'allowed.example#@evil.example:443',
    'evil.example/allowed.example:443',
    'evil.example\\.allowed.example:443',
    '::1:443',
    '[::1]',
    '[::1]:0',
    '[[::1]]:1',
    '[1.2.3.4]:1',
    ':443',
    '',
    'a\r\nb:1',
    'bücher.example:443',
    'http://a:1',
  ])('refuses %j', (text) => expect(parseAuthority(text)).toBeNull())

  it.each(['', ':', '[]', '[::1', 'a b', 'user@example.com', 'x'.repeat(255)])('refuses %j on any port', (text) =>
    expect(parseAuthority(text, 443)).toBeNull(),
  )
})

describe('compilePolicy', () => {
  it('permits the default list in a restricted crew, and no other name', () => {
    const { permitsHost } = restricted()
    const vendors = [
      'api.anthropic.com',
      'console.anthropic.com',
      'api.openai.com',
      'auth.openai.com',
      'chatgpt.com',
      'generativelanguage.googleapis.com',
      'oauth2.googleapis.com',
      'accounts.google.com',
      'api.cursor.sh',
      'api2.cursor.sh',
      'api.factory.ai',
      'app.factory.ai',
      'openrouter.ai',
      'api.x.ai',
      'api.groq.com',
      'api.deepseek.com',
      'api.moonshot.ai',
      'api.z.ai',
      'api.minimax.io',
    ]
    expect(defaultHosts).toEqual(vendors)
    expect(vendors.every(permitsHost)).toBe(true)
    expect(
      [
        'example.com',
        'anthropic.com',
        'evil.api.anthropic.com',
        'api.anthropic.com.evil.example',
        'xapi.anthropic.com',
        '1.1.1.1',
        'localhost',
        '',
      ].filter(permitsHost),
    ).toEqual([])
  })

  it.each([
    ['example.com', 'example.com', true],
    ['Example.COM.', 'example.com', true],
    ['example.com', 'www.example.com', false],
    ['*.example.com', 'www.example.com', true],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'badexample.com', false],
    ['*.example.com', 'example.com.evil.example', false],
    ['*.bücher.example', 'www.xn--bcher-kva.example', true],
    ['10.1.2.3', '10.1.2.3', true],
    ['2606:4700::1111', '2606:4700:0:0:0:0:0:1111', true],
    ['*.1.1.1.1', '1.1.1.1', false],
    ['*', 'example.com', false],
    ['*.', 'example.com', false],
    ['', '', false],
    ['*.*.example.com', 'a.b.example.com', false],
    ['exa mple.com', 'example.com', false],
    ['https://example.com', 'example.com', false],
    ['example.com:443', 'example.com', false],
  ])('%s and %s: %s', (entry, host, permitted) => expect(restricted(entry).permitsHost(host)).toBe(permitted))

  it('permits every name in a free crew', () => {
    expect(
      compilePolicy({ mode: 'free', allowedDomains: [], allowPrivateEndpoints: false }).permitsHost('example.com'),
    ).toBe(true)
  })

  it.each([true, false])(
    'permits private addresses only where allowed (%s), the others never',
    (allowPrivateEndpoints) => {
      for (const mode of ['restricted', 'free'] as const) {
        const { permitsAddress } = compilePolicy({ mode, allowedDomains: [], allowPrivateEndpoints })
        expect(permitsAddress('public')).toBe(true)
        expect(permitsAddress('private')).toBe(allowPrivateEndpoints)
        for (const is of ['loopback', 'link-local', 'metadata', 'multicast', 'reserved'] as const)
          expect(permitsAddress(is)).toBe(false)
      }
    },
  )

  it('permits a wildcard exactly the names below it', () => {
    fc.assert(
      fc.property(fc.domain(), fc.domain(), (entry, other) => {
        const { permitsHost } = restricted(`*.${entry}`)
        const [base, name] = [canonicalHost(entry)!, canonicalHost(other)!]
        expect(permitsHost(`${name}.${base}`)).toBe(true)
        expect(permitsHost(base)).toBe(defaultHosts.includes(base))
        expect(permitsHost(name)).toBe(name.endsWith(`.${base}`) || defaultHosts.includes(name))
      }),
    )
  })
})

describe('wildcardOf', () => {
  it('is the wildcard without which a host would not be permitted', () => {
    const { wildcardOf } = restricted('*.below.example', 'own.below.example', 'allowed.example')
    expect(wildcardOf('a.b.below.example')).toBe('.below.example')
    for (const host of ['own.below.example', 'allowed.example', 'below.example', 'other.example'])
      expect(wildcardOf(host)).toBeNull()
  })
  it('is none where every host is permitted', () => {
    const free = compilePolicy({ mode: 'free', allowedDomains: ['*.below.example'], allowPrivateEndpoints: false })
    expect(free.wildcardOf('a.below.example')).toBeNull()
  })
})

describe('permitsHello', () => {
  const { permitsHello } = restricted('allowed.example')
  it.each<[string, Hello, boolean]>([
    ['allowed.example', 'not-tls', true],
    ['allowed.example', 'incomplete', true],
    ['allowed.example', 'malformed', false],
    ['allowed.example', { serverName: 'allowed.example' }, true],
    ['allowed.example', { serverName: 'ALLOWED.example.' }, true],
    ['allowed.example', { serverName: 'other.example' }, false],
    ['allowed.example', { serverName: null }, false],
    ['1.2.3.4', { serverName: null }, true],
    ['1.2.3.4', { serverName: 'other.example' }, false],
  ])('at %s of %j: %s', (host, hello, permitted) => expect(permitsHello(host, hello)).toBe(permitted))

  it('is any where every host is permitted', () => {
    const free = compilePolicy({ mode: 'free', allowedDomains: [], allowPrivateEndpoints: false })
    for (const hello of ['malformed', { serverName: 'other.example' }, { serverName: null }] as const)
      expect(free.permitsHello('allowed.example', hello)).toBe(true)
  })
})
