import { idp } from '#contract/idp'
import { isConfigured } from '#kernel/auth/identity-provider'
import { feature, gated } from '#kernel/feature'
import { unlinkReclaimed } from './links/people.ts'
import { list, unlink } from './links/service.ts'
import { createProvider } from './provider.ts'
import { begin, checkConfigured, finish, inWords } from './service.ts'

export default feature(
  idp,
  (app) => {
    const { idpClientId: id, idpClientSecret: secret } = app.config
    if (Boolean(id) !== Boolean(secret))
      app.log.warn('No identity provider: IDP_CLIENT_ID and IDP_CLIENT_SECRET belong together')
    const provider = createProvider(app)
    const gate = () => checkConfigured(app)
    return {
      status: () => ({ enabled: isConfigured(app.config) }),
      redirect: gated(gate, (call) => inWords(call.web, begin(app, provider, call))),
      callback: gated(gate, (call) => inWords(call.web, finish(app, provider, call))),
      links: (call) => list(app, call),
      unlink: (call) => unlink(app, call),
    }
  },
  {
    on: {
      'user.reclaimed': {
        writes: ['linked_account.deleted'],
        run: (app, { payload }) => unlinkReclaimed(app, payload.entity_id),
      },
    },
  },
)
