import { oauth } from '#contract/oauth'
import type { App } from '#kernel/app'
import { feature, staged } from '#kernel/feature'
import { forgetDaily } from '#kernel/jobs/daily'
import { problem } from '#kernel/problem'
import { signIns } from '../../providers/oauth.ts'
import { renewRegularly } from '../credentials/oauth-renewal/service.ts'
import { callbackOf, documentOf } from './addresses.ts'
import { callback } from './callback.ts'
import { connect, discovered, prepareConnect } from './connect.ts'
import { loopback } from './loopback.ts'
import { finishTaking, initiate, takeCode } from './service.ts'
import { forgetStates, sweepStates } from './states.ts'

export default feature(
  oauth,
  (app) => ({
    providers: () =>
      Object.fromEntries(
        signIns.map(({ name, auth_url, token_url, scopes }) => [
          name,
          { auth_url, token_url, default_scopes: scopes.join(' ') },
        ]),
      ),
    client: () => document(app),
    initiate: (call) => initiate(app, call),
    callback: (call) => callback(app, call),
    exchange: staged(
      (call) => takeCode(app, call),
      (call, taken) => finishTaking(app, call, taken),
    ),
    loopback: (call) => loopback(app, call),
    discover: (call) => discovered(app, call),
    autoConnect: staged(
      (call) => prepareConnect(app, call),
      (call, ready) => connect(app, call, ready),
    ),
  }),
  {
    on: { 'credential.deleted': (app, { payload }) => forgetStates(app, payload.entity_id) },
    jobs: [renewRegularly, (app) => forgetDaily(app, 'Old sign-ins', () => sweepStates(app))],
  },
)

/** What this server is as a client (OAuth client id metadata document). */
function document(app: App) {
  const client_id = documentOf(app)
  if (client_id === null)
    throw problem('not_found', { detail: 'Others cannot read it: SVC_PUBLIC_URL is no https address' })
  return {
    client_id,
    client_name: 'Muster',
    client_uri: new URL(client_id).origin,
    redirect_uris: [callbackOf(app, undefined), 'http://127.0.0.1/callback', 'http://localhost/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}
