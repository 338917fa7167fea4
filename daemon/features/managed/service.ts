import type { Reply } from '#contract/define'
import { fact } from '#contract/entries'
import type { managed } from '#contract/managed'
import type { App } from '#kernel/app'
import { actorOf } from '#kernel/dispatch'
import { type Call, staged } from '#kernel/feature'
import { pageOf } from '#kernel/http/fields'
import type { Members } from '#kernel/http/json-bounds'
import { problem } from '#kernel/problem'
import { ask, askAll, itemsOf, part } from './asking.ts'
import { accountsOf, authConfigFor } from './inventory.ts'
import { activeTrigger, authConfig, line, tool, toolkit, totalOf, triggerType, usersOf } from './reading.ts'
import { keyOf, neededKey } from './settings/keys.ts'

export async function inventory(
  app: App,
  { actor }: Call<typeof managed.inventory>,
): Promise<Reply<typeof managed.inventory>> {
  const key = keyOf(app, actor.workspace)
  if (key === null) return { enabled: false, auth_configs: [], users: [] }
  const [configs, accounts] = await Promise.all([
    askAll(app, key, { path: '/api/v3/auth_configs' }),
    accountsOf(app, key),
  ])
  return { enabled: true, auth_configs: configs.map(authConfig), users: usersOf(accounts) }
}

type Window = { limit?: number | string; search?: string }

/** One page of a list of the provider; nothing when there is no key. */
async function page<T>(
  app: App,
  workspace: string,
  path: string,
  { limit, ...query }: Window & Record<string, string | number | undefined>,
  read: (it: Members) => T,
) {
  const key = keyOf(app, workspace)
  if (key === null) return { enabled: false, total: 0, items: [] }
  const most = pageOf(limit === undefined ? {} : { limit }, { fallback: 40, max: 100 }).limit
  const reply = await ask(app, key, {
    path,
    query: { ...(query as Record<string, string | undefined>), limit: String(most) },
  })
  const items = itemsOf(reply).slice(0, most).map(read)
  return { enabled: true, total: totalOf(reply, items), items }
}

export async function toolkits(app: App, { actor, query }: Call<typeof managed.toolkits>) {
  const { items, ...rest } = await page(app, actor.workspace, '/api/v3/toolkits', query, toolkit)
  return { ...rest, toolkits: items }
}

export async function tools(
  app: App,
  { actor, query: { toolkit: toolkit_slug, ...query } }: Call<typeof managed.tools>,
) {
  const { items, ...rest } = await page(app, actor.workspace, '/api/v3.1/tools', { ...query, toolkit_slug }, tool)
  return { ...rest, tools: items }
}

export async function triggers(
  app: App,
  { actor, query: { toolkit: toolkit_slugs, ...query } }: Call<typeof managed.triggers>,
) {
  const asked = { ...query, ...(toolkit_slugs !== undefined && { toolkit_slugs }) }
  const { items, ...rest } = await page(app, actor.workspace, '/api/v3.1/triggers_types', asked, triggerType)
  return { ...rest, triggers: items }
}

export async function activeTriggers(
  app: App,
  { actor }: Call<typeof managed.activeTriggers>,
): Promise<Reply<typeof managed.activeTriggers>> {
  const key = keyOf(app, actor.workspace)
  if (key === null) return { enabled: false, triggers: [] }
  const found = await askAll(app, key, { path: '/api/v3.1/trigger_instances/active' })
  return { enabled: true, triggers: found.map(activeTrigger) }
}

export const createTrigger = (app: App) =>
  staged<typeof managed.createTrigger, string>(
    async ({ actor, body }) => {
      const { trigger_id } = await ask(app, neededKey(app, actor.workspace), {
        method: 'POST',
        path: `/api/v3.1/trigger_instances/${part(body.slug)}/upsert`,
        body: { user_id: body.user_id, trigger_config: body.config ?? {} },
      }).catch(unknownIs('slug', 'The provider knows no such kind of trigger'))
      return line(trigger_id) || body.slug
    },
    ({ actor, body: { slug, user_id } }, trigger_id) => {
      const about = { workspace_id: actor.workspace, ...actorOf(actor) }
      app.journal(fact('managed_trigger.created', { entity_id: trigger_id, metadata: { slug, user_id } }, about))
      return { enabled: true, trigger: { trigger_id } }
    },
  )

/** What the provider does not know is a member at fault. */
export const unknownIs =
  (field: string, detail: string) =>
  (error: unknown): never => {
    throw (error as { code?: string }).code === 'not_found' ? problem('invalid_field', { field, detail }) : error
  }

type Link = Reply<typeof managed.connect>

export const connect = (app: App) =>
  staged<typeof managed.connect, Link>(
    async ({ actor, body: { toolkit: slug, user_id } }) => {
      const key = neededKey(app, actor.workspace)
      const unknown = unknownIs('toolkit', 'The provider knows no such toolkit')
      const auth_config_id = await authConfigFor(app, key, slug).catch(unknown)
      const link = await ask(app, key, {
        method: 'POST',
        path: '/api/v3.1/connected_accounts/link',
        body: { auth_config_id, user_id },
      }).catch(unknown)
      return {
        redirect_url: opened(link['redirect_url']),
        connected_account_id: line(link['connected_account_id']),
        user_id,
      }
    },
    ({ actor, body: { toolkit: slug, user_id } }, link) => {
      const about = { workspace_id: actor.workspace, ...actorOf(actor) }
      const payload = { entity_id: link.connected_account_id, metadata: { user_id, toolkit: slug } }
      app.journal(fact('managed_account.created', payload, about))
      return link
    },
  )

/** An address that a browser is sent to. */
function opened(url: unknown): string {
  if (typeof url === 'string' && url.length <= 4000 && /^https:\/\/[^\s"<>]+$/.test(url)) return url
  throw problem('managed_failed', { detail: 'The provider could not be used: it answered without an https address' })
}
