import { describe, expect, it } from 'vitest'
import { destinationOf, isWithin, narrowest, shapeOf, widened } from '#kernel/outbound/destinations'

const to = (url: string, method = 'GET') => destinationOf(method, new URL(url))

describe('where a request goes', () => {
  it.each([
    ['https://API.Example.com./v1/Things?token=hush', 'api.example.com', '/v1/Things'],
    ['https://api.example.com:443/', 'api.example.com', '/'],
    ['https://api.example.com:8443/a', 'api.example.com:8443', '/a'],
    ['http://api.example.com:80/a', 'http://api.example.com', '/a'],
    ['http://user:pass@api.example.com/a', 'http://api.example.com', '/a'],
    ['https://0x7f.1/a', '127.0.0.1', '/a'],
    ['https://[::1]:9/a', '[::1]:9', '/a'],
    ['https://a.example/v1/../admin/./x', 'a.example', '/admin/x'],
    ['https://a.example/v1/%2e%2E/admin', 'a.example', '/admin'],
    ['https://a.example/v1/..%2fadmin', 'a.example', '/v1/..%2Fadmin'],
    ['https://a.example/v1%2fadmin', 'a.example', '/v1%2Fadmin'],
    ['https://a.example/%76%31/a%5cb', 'a.example', '/v1/a%5Cb'],
    ['https://a.example//v1///x', 'a.example', '//v1///x'],
    ['https://a.example/v1/**', 'a.example', '/v1/%2A%2A'],
    ['https://a.example/v1/{id}', 'a.example', '/v1/%7Bid%7D'],
  ])('is told of %s', (url, host, path) => {
    expect(to(url, 'post')).toEqual({ host, method: 'POST', path })
  })

  it.each([
    ['/repos/muster/issues/4711', '/repos/muster/issues/{id}'],
    ['/x/6F9619FF-8B86-D011-B42D-00CF4FC964FF/y', '/x/{id}/y'],
    ['/commits/3b18e512dba79e4c8300dd08aeb37f8e728b8dad', '/commits/{id}'],
    ['/commits/bd8c240c', '/commits/{id}'],
    ['/customers/cus_NffrFeUfNV2Hib', '/customers/{id}'],
    ['/u/c0k3v9x2m8q1w7e5r4t6y', '/u/{id}'],
    ['/day/2026-11-27', '/day/{id}'],
    ['/v1/models/gemini-2.5-pro:generateContent', '/v1/models/gemini-2.5-pro:generateContent'],
    ['/v1beta/messages/count_tokens', '/v1beta/messages/count_tokens'],
    ['/operations/123:cancel', '/operations/{id}:cancel'],
    ['/decade/added', '/decade/added'],
  ])('keeps of %s what says what it is for', (path, shape) => {
    expect(shapeOf(path)).toBe(shape)
  })

  it('is short, whatever the path', () => {
    const long = shapeOf(`/${'a'.repeat(5000)}`)
    expect(long.length).toBeLessThan(70)
    expect(shapeOf(`/${'a'.repeat(4999)}b`)).not.toBe(long)
    expect(shapeOf('/a'.repeat(500))).toBe(`${'/a'.repeat(12)}/**`)
  })
})

describe('rules', () => {
  const rule = to('https://api.example.com/v1/things/1')

  it.each([
    ['https://api.example.com/v1/things/2', true],
    ['https://API.EXAMPLE.COM./v1/things/2?all=1', true],
    ['https://api.example.com/v1/x/../things/2', true],
    ['https://api.example.com:8443/v1/things/2', false],
    ['http://api.example.com/v1/things/2', false],
    ['https://api.example.com.evil.example/v1/things/2', false],
    ['https://api.example.com/v1/things/2/secrets', false],
    ['https://api.example.com/v1/things', false],
    ['https://api.example.com/v1/things/..%2f2', false],
    ['https://api.example.com/v1/things/2%2fsecrets', false],
    ['https://api.example.com/v1/things/%7Bid%7D', false],
    ['https://api.example.com//v1/things/2', false],
  ])('allow %s: %s', (url, allowed) => {
    expect(isWithin([rule], to(url))).toBe(allowed)
  })

  it('allow one method each', () => {
    expect(isWithin([rule], to('https://api.example.com/v1/things/2', 'DELETE'))).toBe(false)
  })

  it('that are wide cover what is below, and nothing that only begins alike', () => {
    const [below, all] = widened(rule)
    expect([below.path, all.path]).toEqual(['/v1/**', '/**'])
    for (const [path, covered] of [
      ['/v1', true],
      ['/v1/a/b', true],
      ['/v10/a', false],
      ['/v1%2fa', false],
    ] as const)
      expect(isWithin([below], to(`https://api.example.com${path}`))).toBe(covered)
    expect(isWithin([all], to('https://api.example.com/x'))).toBe(true)
    expect(isWithin([all], to('https://other.example.com/x'))).toBe(false)
    expect(narrowest([rule, below, to('https://b.example/')])).toEqual([below, to('https://b.example/')])
  })
})
