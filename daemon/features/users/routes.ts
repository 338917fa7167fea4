import { users } from '#contract/users'
import { feature, staged } from '#kernel/feature'
import * as avatars from './avatars/service.ts'
import { personalData } from './exports/service.ts'
import { endLinks } from './links/service.ts'
import * as passwords from './passwords/service.ts'
import { dropPassword, find, update } from './service.ts'

export default feature(
  users,
  (app) => ({
    me: ({ actor }) => find(app, actor.id),
    update: (call) => update(app, call),
    password: staged(
      (call) => passwords.prepare(app, call),
      (call, ready) => passwords.commit(app, call, ready),
    ),
    setAvatar: staged(avatars.prepare, (call, avatar) => avatars.set(app, call, avatar)),
    removeAvatar: (call) => avatars.remove(app, call),
    export: (call) => personalData(app, call),
    avatar: (call) => avatars.send(app, call),
  }),
  {
    on: {
      'user.password_changed': (app, { payload }) => endLinks(app, payload.entity_id),
      'user.password_reset': (app, { payload }) => endLinks(app, payload.entity_id),
      'user.reclaimed': (app, { payload }) => {
        dropPassword(app, payload.entity_id)
        endLinks(app, payload.entity_id)
      },
    },
  },
)
