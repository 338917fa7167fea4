import type { Static } from 'typebox'
import type { Reply } from '#contract/define'
import type { managed } from '#contract/managed'
import { type Members, membersOf } from '#kernel/http/json-bounds'
import { plainLine } from '#kernel/plain-line'

// What the provider answers may be anything: texts lose what could deceive, members of another kind are left out.

export const line = (value: unknown, most = 300): string =>
  typeof value === 'string' ? plainLine(value.slice(0, 4 * most), most) : ''
const count = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0
const slugOf = (toolkit: unknown) => ({ slug: line(membersOf(toolkit)['slug'], 64) })
const logo = (value: unknown): string =>
  typeof value === 'string' && value.length <= 2000 && /^https:\/\/[^\s"<>]+$/.test(value) ? value : ''

/** How many there are, at least those that were told. */
export const totalOf = (reply: Members, told: readonly unknown[]): number =>
  Math.max(count(reply['total_items']), told.length)

type Inventory = Reply<typeof managed.inventory>
export type Account = Inventory['users'][number]['connected_accounts'][number]

export const authConfig = (it: Members): Inventory['auth_configs'][number] => ({
  id: line(it['id']),
  name: line(it['name']),
  status: line(it['status']),
  toolkit: { ...slugOf(it['toolkit']), logo: logo(membersOf(it['toolkit'])['logo']) },
})

const managedMember = /^is_([a-z0-9]+)_managed$/

/** A connected account. Whose authorization it uses stands in a member named after the provider. */
export function account(it: Members): Account {
  const config = membersOf(it['auth_config'])
  const own = Object.entries(config).filter(([name]) => managedMember.test(name))
  return {
    id: line(it['id']),
    user_id: line(it['user_id'], 200),
    status: line(it['status']),
    toolkit: slugOf(it['toolkit']),
    auth_config: {
      id: line(config['id']),
      auth_scheme: line(config['auth_scheme']),
      is_disabled: config['is_disabled'] === true,
      ...Object.fromEntries(own.slice(0, 3).map(([name, value]) => [name, value === true])),
    },
  }
}

/** What the provider calls itself in names of members, as its accounts tell. */
export const vendorIn = (accounts: readonly Account[]): string | null =>
  accounts
    .flatMap(({ auth_config }) => Object.keys(auth_config).map((name) => managedMember.exec(name)?.[1]))
    .find(Boolean) ?? null

/** Accounts by user, in the order of their ids. */
export function usersOf(accounts: readonly Account[]): Inventory['users'] {
  const users = new Map<string, Account[]>()
  for (const one of accounts) if (one.user_id) users.set(one.user_id, [...(users.get(one.user_id) ?? []), one])
  return [...users]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([user_id, connected_accounts]) => ({ user_id, connected_accounts }))
}

export function toolkit(it: Members): Reply<typeof managed.toolkits>['toolkits'][number] {
  const meta = membersOf(it['meta'])
  const categories = Array.isArray(meta['categories']) ? meta['categories'].slice(0, 50).map(membersOf) : []
  return {
    slug: line(it['slug'], 64),
    name: line(it['name']),
    no_auth: it['no_auth'] === true,
    meta: {
      description: line(meta['description'], 1000),
      logo: logo(meta['logo']),
      tools_count: count(meta['tools_count']),
      categories: categories.map(({ id, name }) => ({ id: line(id), name: line(name) })),
    },
  }
}

const described = (it: Members) => ({
  slug: line(it['slug'], 200),
  name: line(it['name']),
  description: line(it['description'], 1000),
})

export type Tool = Static<typeof managed.tools.reply>['tools'][number]
export const tool = (it: Members): Tool => ({ ...described(it), toolkit: slugOf(it['toolkit']) })

export const triggerType = (it: Members): Reply<typeof managed.triggers>['triggers'][number] => ({
  ...described(it),
  type: line(it['type']),
  toolkit: slugOf(it['toolkit']),
})

export const activeTrigger = (it: Members): Reply<typeof managed.activeTriggers>['triggers'][number] => ({
  id: line(it['id']),
  trigger_name: line(it['trigger_name'], 200),
  user_id: line(it['user_id'], 200),
  connected_account_id: line(it['connected_account_id']),
  trigger_config: membersOf(it['trigger_config']),
  ...(typeof it['disabled_at'] === 'string' && { disabled_at: line(it['disabled_at']) }),
})
