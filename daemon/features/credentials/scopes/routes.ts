import { credentialScopes } from '#contract/credential-scopes'
import type { App } from '#kernel/app'
import { feature } from '#kernel/feature'
import { forgetDaily } from '#kernel/jobs/daily'
import { decideUse, withdrawQuestions } from '../questions/service.ts'
import { endScopes, enforceScopes, forgetScopes, scopes } from './service.ts'
import { forgetOldUses } from './uses.ts'

export default feature(
  credentialScopes,
  (app) => ({
    scopes: (call) => scopes(app, call),
    enforceScopes: (call) => enforceScopes(app, call),
    endScopes: (call) => endScopes(app, call),
    decideUse: (call) => decideUse(app, call),
  }),
  {
    on: {
      'credential.deleted': {
        writes: ['credential.use_decided'],
        run(app, happened) {
          withdrawQuestions(app, happened)
          forgetScopes(app, happened)
        },
      },
    },
    jobs: [(app: App) => forgetDaily(app, 'Old uses of credentials', (most) => forgetOldUses(app, most))],
  },
)
