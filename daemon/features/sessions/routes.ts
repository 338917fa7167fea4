import { sessions } from '#contract/sessions'
import { callbackPath, isConfigured, nameOf } from '#kernel/auth/identity-provider'
import type { Config } from '#kernel/config'
import { feature, settled } from '#kernel/feature'
import { current } from './current.ts'
import { forgetSessions } from './jobs.ts'
import * as refreshing from './refresh.ts'
import { messageOf, safePath } from './rules.ts'
import { askAnew, endSessions, forgetCookies, forgetFactor, leave, list, revoke, whoLeaves } from './service.ts'
import * as signingIn from './sign-in.ts'
import { confirm } from './step-up.ts'

const url = '/api/auth/callback/credentials'

/** The identity provider for the list of ways to sign in, if one is configured. */
const idpOf = (config: Config) =>
  isConfigured(config) && {
    idp: {
      id: 'idp' as const,
      name: nameOf(config.idpIssuer),
      type: 'oidc' as const,
      signinUrl: '/api/v1/auth/idp/redirect',
      callbackUrl: callbackPath,
    },
  }

const writes = ['session.deleted'] as const

export default feature(
  sessions,
  (app) => ({
    csrf: ({ web }) => signingIn.giveCsrf(web!),
    providers: () => ({
      credentials: { id: 'credentials', name: 'Credentials', type: 'credentials', signinUrl: url, callbackUrl: url },
      ...idpOf(app.config),
    }),
    current: ({ web }) => current(app, web!),
    create: settled({
      prepare: (call) => signingIn.prepare(app, call),
      commit: (call, ready) => signingIn.commit(app, call, ready),
      settle: (call, failure, ready) => signingIn.settle(app, call, failure, ready),
    }),
    refresh: settled({
      prepare: (call) => refreshing.prepare(app, call),
      commit: (call, ready) => refreshing.commit(app, call, ready),
      settle: (call, done, ready) => refreshing.settle(app, call, done, ready),
    }),
    signin: ({ query, web }) => {
      web.reply.code(302).header('location', `/login?callbackUrl=${encodeURIComponent(safePath(query.callbackUrl))}`)
      return ''
    },
    signout: settled({
      prepare: ({ web }) => whoLeaves(app, web!),
      commit: (_, claims) => leave(app, claims),
      settle: ({ web }, done) => {
        forgetCookies(web!)
        return done
      },
    }),
    error: ({ query }) => {
      const error = query.error || 'Default'
      return { error, message: messageOf(error) }
    },
    list: (call) => list(app, call),
    confirm: (call) => confirm(app, call),
    revoke: (call) => revoke(app, call),
  }),
  {
    on: {
      'user.password_changed': {
        writes,
        run: (app, { payload: { entity_id: user, metadata } }) =>
          endSessions(app, { user, except: metadata.session_id ?? null, reason: 'password_change' }),
      },
      'user.password_reset': {
        writes,
        run: (app, { payload: { entity_id: user, metadata } }) =>
          endSessions(app, { user, reason: metadata.via === 'host' ? 'admin_force' : 'password_reset' }),
      },
      'user.reclaimed': {
        writes,
        run: (app, { payload }) => endSessions(app, { user: payload.entity_id, reason: 'address_proved' }),
      },
      'user.signed_out': {
        writes,
        run: (app, { payload }) => endSessions(app, { user: payload.entity_id, reason: 'admin_invalidate' }),
      },
      'user.two_factor_on': (app, { payload }) => askAnew(app, payload.entity_id, payload.metadata.session_id ?? null),
      'user.two_factor_moved': (app, { payload }) =>
        askAnew(app, payload.entity_id, payload.metadata.session_id ?? null),
      'user.two_factor_off': (app, { payload }) => forgetFactor(app, payload.entity_id),
    },
    jobs: [forgetSessions],
  },
)
