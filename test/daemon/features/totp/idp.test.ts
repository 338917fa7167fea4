import { expect, it } from 'vitest'
import { daemon } from '#test'
import { browser } from '../../../support/browser.ts'
import { client, identityProvider } from '../../../support/identity-provider.ts'
import { codeAt } from '../../../support/totp.ts'

it(
  'an account without a password has a second factor too, which the ' + 'identity provider does not stand in for',
  async () => {
    const provider = await identityProvider()
    provider.accounts.set('ann', { email: 'ann@example.com', email_verified: true, name: 'Ann' })
    const server = await daemon({
      config: { idpIssuer: provider.issuer, idpClientId: client.id, idpClientSecret: client.secret, allowSignup: true },
    })
    server.person('OWNER')
    const signIn = async () => {
      const web = browser(server)
      const away = String((await web.call('GET', '/auth/idp/redirect')).headers['location'])
      const { pathname, search } = await provider.visit(away, 'ann')
      expect((await web.call('GET', pathname + search)).status).toBe(307)
      return web
    }
    const web = await signIn()
    const { secret } = (await web.call('POST', '/users/me/totp')).body
    expect((await web.call('POST', '/users/me/totp/confirm', { code: codeAt(secret, server.clock()) })).status).toBe(
      200,
    )

    const again = await signIn()
    expect((await again.call('GET', '/users/me')).body).toMatchObject({ status: 403, code: 'step_up_required' })
    expect((await again.call('DELETE', '/users/me/totp', { code: '123456' })).body.code).toBe('step_up_required')
    server.clock.advance(30_000)
    expect((await again.call('POST', '/auth/step-up', { code: codeAt(secret, server.clock()) })).status).toBe(200)
    expect((await again.call('GET', '/users/me')).body).toMatchObject({ email: 'ann@example.com' })
    server.clock.advance(30_000)
    expect((await again.call('DELETE', '/users/me/totp', { code: codeAt(secret, server.clock()) })).status).toBe(200)
    expect((await (await signIn()).call('GET', '/users/me')).status).toBe(200)
  },
)
