import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closing } from '#test'
import { chromiumMissing, realBrowser } from '../support/chromium.ts'
import { client, identityProvider } from '../support/identity-provider.ts'
import { ann, setUp } from '../support/idp.ts'
import { leaveOut } from '../support/leave-out.ts'
import { startMusterd } from '../support/musterd.ts'

leaveOut(chromiumMissing)
const open = realBrowser()
const path = '/api/v1/auth/idp/callback'

describe('the built daemon', () => {
  it('signs in with a provider', async () => {
    const provider = await identityProvider()
    provider.accounts.set('ann', ann)
    const dir = mkdtempSync(join(tmpdir(), 'muster-idp-'))
    closing({ close: () => rmSync(dir, { recursive: true, force: true }) })
    const daemon = await startMusterd({
      SVC_DATA_DIR: dir,
      SVC_PORT: '0',
      SVC_CONTAINER_PROVIDER: 'process',
      SVC_ALLOW_SIGNUP: 'true',
      IDP_ISSUER: provider.issuer,
      IDP_CLIENT_ID: client.id,
      IDP_CLIENT_SECRET: client.secret,
    })
    try {
      provider.allow(daemon.url + path)
      const owner = { email: 'owner@example.com', full_name: 'The Owner', password: 'plover staple 42' }
      await fetch(`${daemon.url}/api/v1/bootstrap`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(owner),
      })
      const begun = await fetch(`${daemon.url}/api/v1/auth/idp/redirect`, { redirect: 'manual' })
      const returned = await provider.visit(begun.headers.get('location')!, 'ann')
      const done = await fetch(returned, {
        redirect: 'manual',
        headers: { cookie: begun.headers.getSetCookie()[0]!.split(';')[0]! },
      })
      expect([done.status, done.headers.get('location')]).toEqual([307, '/'])
      const cookie = done.headers.getSetCookie().map((line) => line.split(';')[0])
      const session = await fetch(`${daemon.url}/api/auth/session`, { headers: { cookie: cookie.join('; ') } })
      expect(await session.json()).toMatchObject({ user: { email: 'ann@example.com', name: ann.name } })
    } finally {
      expect(await daemon.stop()).toBe(0)
    }
  })
})

describe.skipIf(chromiumMissing)('a real browser', () => {
  it('signs in by the button of the page, and comes to where it wanted to go', async () => {
    const { provider, server } = await setUp()
    const at = await server.http.listen({ host: '127.0.0.1', port: 0 })
    provider.allow(at + path)
    provider.as('ann')
    const page = await open({ at })
    await page.goto('/login?callbackUrl=%2F%3Fx%3D1')
    await page.getByRole('link', { name: 'Sign in with' }).click()
    await page.waitForURL(`${at}/?x=1`)
    await page.getByText('ann@example.com').first().waitFor()
  })

  it('tells a person in words why it did not', async () => {
    const { provider, server } = await setUp({ config: { allowSignup: false } })
    const at = await server.http.listen({ host: '127.0.0.1', port: 0 })
    provider.allow(at + path)
    provider.as('ann')
    const page = await open({ at })
    await page.goto('/login')
    await page.getByRole('link', { name: 'Sign in with' }).click()
    await page.getByText('There is no account with your address').waitFor()
    await page.getByRole('link', { name: 'Back to the sign-in' }).click()
    await page.waitForURL(`${at}/login`)
  })
})
