import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addPerson, closing } from '#test'
import { targetOf } from '../../daemon/features/ports/service.ts'
import { connectHere } from '../../daemon/runtime/bridge/here.ts'
import { createExposed } from '../../daemon/streams/exposed/proxy.ts'
import { createSockets } from '../../daemon/streams/ws.ts'
import { browser, knownPassword, quickHash } from '../support/browser.ts'
import { chromiumMissing, realBrowser } from '../support/chromium.ts'
import { leaveOut } from '../support/leave-out.ts'
import { office } from '../support/ports.ts'

// A page that an agent wrote, at an address of the server itself, before the eyes of somebody who is signed in there.

leaveOut(chromiumMissing)
const open = realBrowser({ violations: false })

/** What a page of an agent may try, each with what came of it. */
const attack = `<!doctype html><title>Shop</title>
<form id=form method=post action="/api/v1/crews" target=frame><input name=name value=Forged>
<input name=slug value=forged></form>
<iframe name=frame></iframe>
<iframe id=login src="/login"></iframe>
<script>
const tried = {}
const attempt = async (name, work) => { try { tried[name] = await work() } catch (error) {
  tried[name] = 'failed: ' + error.name } }
const api = (path, more) => fetch(path, {
  credentials: 'include', ...more }).then(async (it) => it.status + ' ' + await it.text())
window.done = (async () => {
  tried.origin = window.origin
  await attempt('read', () => api('/api/v1/users/me'))
  await attempt('session', () => api('/api/auth/session'))
  await attempt('csrf', () => api('/api/auth/csrf'))
  await attempt('change', () => api('/api/v1/crews', { method: 'POST', headers: {
    'content-type': 'application/json' }, body: '{"name":"Forged","slug":"forged"}' }))
  await attempt('simple', () => fetch('/api/v1/crews', {
    method: 'POST', mode: 'no-cors', credentials: 'include',
    body: '{"name":"Forged","slug":"forged"}' }).then((it) => it.type))
  await attempt('signout', () => fetch('/api/auth/signout', {
    method: 'POST', mode: 'no-cors', credentials: 'include' }).then((it) => it.type))
  await attempt('cookies', () => document.cookie)
  await attempt('bake', () => { document.cookie = 'evil=1; path=/'; return 'baked' })
  await attempt('storage', () => localStorage.length)
  await attempt('session storage', () => sessionStorage.length)
  await attempt('database', () => indexedDB.open('x') && 'opened')
  await attempt('caches', async () => (await caches.open('x')) && 'opened')
  await attempt('worker', async () => (await navigator.serviceWorker.register('sw.js')) && 'registered')
  await attempt('frame', () => document.getElementById('login').contentDocument === null ? 'failed: closed' : 'read')
  await attempt('top', () => { const it = window.open('/login'); return it && it.document ? 'read' : 'failed: closed' })
  await attempt('socket', () => new Promise((resolve, reject) => {
    const it = new WebSocket('ws://' + location.host + '/ws'); it.onopen = () => resolve('opened');
    it.onerror = () => reject(new DOMException('', 'Refused')) }))
  await attempt('form', () => { document.getElementById('form').submit(); return 'sent' })
  await attempt('itself', () => fetch('data.json').then((it) => it.json()).then((it) => it.works))
  await attempt('itself by PUT', () => fetch('data.json', { method: 'PUT', headers: {
    'content-type': 'application/json' }, body: '{}' }).then((it) => it.json()).then((it) => it.works))
  await attempt('module', () => import('./module.js').then((it) => it.works))
  return tried
})()
</script>`

const program: RequestListener = (request, response) => {
  const header = (type: string) =>
    response.writeHead(200, { 'content-type': type, 'set-cookie': 'evil=2; Path=/', 'service-worker-allowed': '/' })
  if (request.url === '/') header('text/html').end(attack)
  else if (request.url === '/module.js' || request.url === '/sw.js')
    header('text/javascript').end('export const works = true')
  else header('application/json').end('{"works":true}')
}

/** The same proxy, its one line of defence taken away. */
const withoutSandbox =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    const write = response.writeHead.bind(response) as (status: number, headers: object) => typeof response
    Object.assign(response, {
      writeHead: (status: number, { 'content-security-policy': _, ...headers }: Record<string, string>) =>
        write(status, headers),
    })
    serve(request, response)
  }

async function setUp(around = (serve: RequestListener) => serve) {
  const it = await office({ config: { publicUrl: '' } }, (_crew, port) => connectHere(port))
  it.app.exposedUrl = it.base
  it.app.exposed = around(closing(createExposed(it.app, targetOf)).serve)
  closing(createSockets(it.app)).attach(it.http.server)
  const http = createServer(program)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  closing({ close: () => http.close().closeAllConnections() })
  const { body } = await it.expose({ port: (http.address() as AddressInfo).port })
  const ada = it.app.writeNow(() => addPerson(it.app, 'OWNER', it.workspace))
  it.app.db.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(quickHash, ada.userId)
  return { it, ada, url: body.url as string }
}

async function signedIn(at: string, email: string): Promise<Page> {
  const page = await open({ at })
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(knownPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Signed in as').waitFor()
  return page
}

describe.skipIf(chromiumMissing)('a page behind a capability URL', () => {
  it('can do nothing as the person who looks at it', async () => {
    const { it: server, ada, url } = await setUp()
    const page = await signedIn(server.base, ada.email)
    const cookies = await page.context().cookies()
    expect(cookies.map(({ name }) => name)).toContain('authjs.session-token')
    const before = server.app.db.prepare('SELECT count(*) FROM journal').pluck().get()

    await page.goto(url)
    const tried = (await page.evaluate('window.done')) as Record<string, string>
    expect(tried).toEqual({
      origin: 'null',
      read: 'failed: TypeError',
      session: 'failed: TypeError',
      csrf: 'failed: TypeError',
      change: 'failed: TypeError',
      simple: 'opaque',
      signout: 'opaque',
      cookies: 'failed: SecurityError',
      bake: 'failed: SecurityError',
      storage: 'failed: SecurityError',
      'session storage': 'failed: SecurityError',
      database: 'failed: SecurityError',
      caches: 'failed: SecurityError',
      worker: 'failed: SecurityError',
      frame: 'failed: closed',
      top: 'failed: SecurityError',
      socket: 'failed: Refused',
      form: 'sent',
      itself: true,
      'itself by PUT': true,
      module: true,
    })
    await page.waitForLoadState('networkidle')
    expect(server.app.db.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(before)
    expect(server.app.db.prepare("SELECT count(*) FROM crews WHERE slug = 'forged'").pluck().get()).toBe(0)
    expect(await page.context().cookies()).toEqual(cookies)
    // The person is signed in as before, and whoever asks as that person is heard.
    await page.goto('/api/v1/users/me')
    expect(await page.textContent('body')).toContain(ada.email)
    const own = browser(server)
    expect((await own.signIn(ada.email, knownPassword)).status).toBeLessThan(400)
  })

  it('could do all of it without the sandbox: these attempts are worth something', async () => {
    const { it: server, ada, url } = await setUp(withoutSandbox)
    const page = await signedIn(server.base, ada.email)
    await page.goto(url)
    const tried = (await page.evaluate('window.done')) as Record<string, string>
    expect(tried).toMatchObject({
      origin: server.base,
      read: expect.stringMatching(/^200 /),
      bake: 'baked',
      storage: 0,
      socket: 'opened',
      database: 'opened',
    })
    expect(
      server.app.db.prepare("SELECT count(*) FROM user_sessions WHERE revoked_reason = 'logout'").pluck().get(),
    ).toBe(1)
  })
})
