import { fact } from '#contract/entries'
import type { managed } from '#contract/managed'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { type Actor, staged } from '#kernel/feature'
import { type Asked, ask, part } from '../asking.ts'
import { neededKey } from '../settings/keys.ts'

async function act(app: App, actor: Actor, id: string, { method = 'POST', path }: Asked): Promise<undefined> {
  const account = `/api/v3.1/connected_accounts/${part(id)}`
  await ask(app, neededKey(app, actor.workspace), { method, path: `${account}${path}` })
  return undefined
}

const about = (actor: Actor) => ({ workspace_id: actor.workspace, ...actorOf(actor) })

export const revokeAccount = (app: App) =>
  staged<typeof managed.revokeAccount, undefined>(
    ({ actor, accountId }) => act(app, actor, accountId, { path: '/revoke' }),
    ({ actor, accountId: entity_id }) => {
      app.journal(fact('managed_account.updated', { entity_id, metadata: { done: 'revoked' } }, about(actor)))
      return undefined
    },
  )

export const refreshAccount = (app: App) =>
  staged<typeof managed.refreshAccount, undefined>(
    ({ actor, accountId }) => act(app, actor, accountId, { path: '/refresh' }),
    ({ actor, accountId: entity_id }) => {
      app.journal(fact('managed_account.updated', { entity_id, metadata: { done: 'refreshed' } }, about(actor)))
      return undefined
    },
  )

export const removeAccount = (app: App) =>
  staged<typeof managed.removeAccount, undefined>(
    ({ actor, accountId }) => act(app, actor, accountId, { method: 'DELETE', path: '' }),
    ({ actor, accountId: entity_id }) => {
      app.journal(fact('managed_account.deleted', { entity_id }, about(actor)))
      return undefined
    },
  )
