import { sessions } from '#contract/sessions'
import { feature, settled } from '#kernel/feature'
import { idpOf } from '../idp/service.ts'
import { current } from './current.ts'
import { forgetSessions } from './jobs.ts'
import * as refreshing from './refresh.ts'
import { messageOf, safePath } from './rules.ts'
import { forgetCookies, leave, list, revoke, whoLeaves } from './service.ts'
import * as signingIn from './sign-in.ts'
import { confirm } from './step-up.ts'

const url = '/api/auth/callback/credentials'

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
      commit: (call, claims) => leave(app, call, claims),
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
  { jobs: [forgetSessions] },
)
