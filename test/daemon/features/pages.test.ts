import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { operations } from '#client/operations'
import { daemon } from '#test'

const paths = ['/', '/login', '/login/cli', '/reset-password', '/invitation', '/decide']
const folder = new URL('../../../templates/pages/', import.meta.url)
const features = new URL('../../../daemon/features/', import.meta.url)
const get = async (url: string, headers: Record<string, string> = {}) => {
  const { http } = await daemon()
  return http.inject({ method: 'GET', url, headers: { host: 'localhost', ...headers } })
}
const assetsOf = (html: string) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)

describe.each(paths)('%s', (path) => {
  it('may run nothing but its own scripts, is framed by nobody and kept nowhere', async () => {
    const { statusCode, headers } = await get(path)
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    })
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|\*/)
  })

  it('is the same whatever its address says', async () => {
    const plain = await get(path)
    const hostile = await get(
      `${path}?error=%3Cscript%3Ealert(1)%3C/script%3E&error=b&callbackUrl=//evil.example&token=t` +
        '&name=%22%3E%3Cimg%20src=x%3E',
      {
        cookie: 'authjs.session-token=x',
      },
    )
    expect(hostile.statusCode).toBe(200)
    expect(hostile.body).toBe(plain.body)
    expect(plain.body).not.toMatch(/<script(?![^>]* src=)|<style|style="|\son\w+="/)
  })

  it('names its styles and scripts by what they hold, to be kept for good', async () => {
    const { http } = await daemon()
    const { body } = await http.inject({ method: 'GET', url: path, headers: { host: 'localhost' } })
    const assets = assetsOf(body)
    expect(assets.map((name) => name.split('.').at(-1)).sort()).toEqual(['css', 'js', 'svg'])
    for (const name of assets) {
      expect(name).toMatch(/^\/assets\/[a-z-]+-[0-9a-f]{10}\.\w+$/)
      const { statusCode, headers } = await http.inject({ method: 'GET', url: name, headers: { host: 'localhost' } })
      expect(statusCode, name).toBe(200)
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    }
  })
})

it('scripts import each other by digest', async () => {
  const { http } = await daemon()
  const read = async (url: string) => (await http.inject({ method: 'GET', url, headers: { host: 'localhost' } })).body
  const script = assetsOf(await read('/login')).find((name) => name.endsWith('.js'))!
  const [, imported] = /from ["'](\/assets\/server-[0-9a-f]{10}\.js)["']/.exec(await read(script))!
  expect(await read(imported!)).toContain('export async function ask')
})

it.each([
  ['/login/cli?a=1#b', '/login/cli?a=1#b'],
  ['http://localhost:1/crews', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/crews/..//evil.example', '/'],
  ['/%2e//evil.example', '/'],
])('scripts take %s for %s', async (given, path) => {
  vi.stubGlobal('location', new URL('http://localhost:1/login'))
  const { ownPath } = await import(new URL('server.js', folder).href)
  expect(ownPath(given)).toBe(path)
  vi.unstubAllGlobals()
})

it.each(['style.css', '..%2f..%2fpackage.json', 'login.html', 'style-0000000000.css', 'constructor', '%00'])(
  '/assets/%s is not there',
  async (name) => {
    expect((await get(`/assets/${name}`)).statusCode).toBe(404)
  },
)

it('redirects of the contract lead to a page', async () => {
  const { http } = await daemon()
  const { headers } = await http.inject({
    method: 'GET',
    url: '/api/auth/signin?callbackUrl=/login/cli',
    headers: { host: 'localhost' },
  })
  expect(
    (await http.inject({ method: 'GET', url: headers.location!, headers: { host: 'localhost' } })).statusCode,
  ).toBe(200)
})

it('every file is of a kind that is served', () => {
  for (const name of readdirSync(folder)) expect(name).toMatch(/^[a-z-]+\.(html|css|js|svg)$/)
})

it('the built daemon carries every file', () => {
  expect(readdirSync(new URL('../../../dist/daemon/pages/', import.meta.url)).sort()).toEqual(
    readdirSync(folder).sort(),
  )
})

it('the page to decide on knows the operation of everything that is decided', async () => {
  const { operations: known } = await import(new URL('decide-operations.js', folder).href)
  const named = readdirSync(features, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, features), 'utf8'))
    .filter((source) => source.includes('declareKind({'))
    .flatMap((source) => [...source.matchAll(/operation: '([\w.]+)'/g)].map(([, name]) => name!))
  expect(Object.keys(known)).toEqual([...new Set(named)].sort())
  for (const [name, way] of Object.entries(known)) {
    const [feature, verb] = name.split('.') as [string, string]
    expect(operations[feature]![verb], name).toEqual(way)
  }
})
