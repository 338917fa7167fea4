import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { managed } from '#contract/managed'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import type { Happened } from '#kernel/facts'
import { type Call, staged } from '#kernel/feature'
import { blankToNull } from '#kernel/http/fields'
import { problem } from '#kernel/problem'
import { ask, baseOf } from '../asking.ts'
import { rekeyGrants, removeAllGrants } from '../grants/service.ts'
import { rowOf, vaultOf } from './keys.ts'
import { queries } from './queries.ts'

type Shown = Reply<typeof managed.settings>

export function settings(app: App, { actor }: Pick<Call<typeof managed.settings>, 'actor'>): Shown {
  const own = queries(app.db).find.get(actor.workspace)
  if (own) return { configured: true, source: 'workspace', ...(own.label !== null && { label: own.label }) }
  return app.config.managedApiKey ? { configured: true, source: 'env' } : { configured: false, source: 'none' }
}

/** A key is stored once the provider accepts it; what agents were given goes on with it. */
export const setSettings = (app: App) =>
  staged<typeof managed.setSettings, undefined>(
    async ({ body }) => {
      vaultOf(app)
      checkBase(app, body.base_url)
      await ask(app, body.api_key, { path: '/api/v3/auth_configs', query: { limit: '1' } })
      return undefined
    },
    ({ actor, body, now }) => {
      const label = blankToNull(body.label)
      queries(app.db).put.run({
        workspace_id: actor.workspace,
        key_sealed: vaultOf(app).seal(body.api_key, rowOf(actor.workspace)),
        label,
        updated_at: now,
      })
      rekeyGrants(app, actor, body.api_key)
      const about = { workspace_id: actor.workspace, ...actorOf(actor) }
      const metadata = label === null ? {} : { label }
      app.journal(fact('managed_settings.updated', { entity_id: actor.workspace, metadata }, about))
      return settings(app, { actor })
    },
  )

/** A key is sent to one place, which is the operator's to say. */
function checkBase(app: App, given: string | null | undefined): void {
  const base = blankToNull(given)
  if (base === null || (URL.canParse(base) && new URL(base).origin === new URL(baseOf(app)).origin)) return
  throw problem('invalid_field', {
    field: 'base_url',
    detail: 'The address of the provider is set by the operator (MANAGED_INTEGRATIONS_BASE_URL)',
  })
}

export function removeSettings(app: App, { actor }: Call<typeof managed.removeSettings>): Shown {
  if (queries(app.db).remove.run(actor.workspace).changes) {
    const about = { workspace_id: actor.workspace, ...actorOf(actor) }
    app.journal(fact('managed_settings.deleted', { entity_id: actor.workspace }, about))
    if (app.config.managedApiKey) rekeyGrants(app, actor, app.config.managedApiKey)
    else removeAllGrants(app, actor)
  }
  return settings(app, { actor })
}

export const forgetSettings = ({ db }: App, { payload }: Happened<'workspace.deleted'>): void =>
  void queries(db).remove.run(payload.entity_id)
